package main

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// crowd is timeouts that tell how late they run. Times are durations since start.
type crowd struct {
	start time.Time
	late  histogram
	ran   atomic.Int64
}

// member is one of a crowd: a struct of 256 bytes with a timeout in it, on its
// own in memory, as a session or a connection is.
type member interface {
	arm(due time.Duration)
	stop() bool
}

// gather makes a crowd whose order has nothing to do with where it is in memory.
func gather(t timer, n int) (*crowd, []member) {
	c := &crowd{start: time.Now()}
	all := make([]member, n)
	for i := range all {
		all[i] = t.member(c)
	}
	rand.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
	return c, all
}

// armEvenly arms all, due evenly within a window that begins at first. The order
// in which it does has nothing to do with when they are due.
func armEvenly(all []member, first, window time.Duration) {
	for _, i := range rand.Perm(len(all)) {
		all[i].arm(first + time.Duration(float64(window)*float64(i)/float64(len(all))))
	}
}

func (c *crowd) run(due time.Duration) {
	c.late.add(time.Since(c.start) - due)
	c.ran.Add(1)
}

// wait returns once n have run, or none has for so long; ok says which.
func (c *crowd) wait(n int, patience time.Duration) (ok bool) {
	seen, since := int64(0), time.Now()
	for time.Since(since) < patience {
		ran := c.ran.Load()
		if ran >= int64(n) {
			return true
		}
		if ran > seen {
			seen, since = ran, time.Now()
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

// until returns the time from now to a moment of the crowd's.
func (c *crowd) until(moment time.Duration) time.Duration { return moment - time.Since(c.start) }

type wheelMember struct {
	to    hashedwheel.Timeout
	due   atomic.Int64 // a run may be under way as it is armed again
	crowd *crowd
	_     [structSize - 80]byte
}

func (w wheel) member(c *crowd) member {
	m := &wheelMember{crowd: c}
	m.to.Init(w.Timer, m)
	return m
}

func (m *wheelMember) Run(*hashedwheel.Timeout) { m.crowd.run(time.Duration(m.due.Load())) }

func (m *wheelMember) arm(due time.Duration) {
	m.due.Store(int64(due))
	m.to.ResetAt(m.crowd.start.Add(due))
}

func (m *wheelMember) stop() bool { return m.to.Stop() }

type stdMember struct {
	timer *time.Timer
	due   atomic.Int64
	crowd *crowd
	_     [structSize - 24]byte
}

func (std) member(c *crowd) member { return &stdMember{crowd: c} }

func (m *stdMember) run() { m.crowd.run(time.Duration(m.due.Load())) }

func (m *stdMember) arm(due time.Duration) {
	m.due.Store(int64(due))
	if d := m.crowd.until(due); m.timer == nil {
		m.timer = time.AfterFunc(d, m.run)
	} else {
		m.timer.Reset(d)
	}
}

func (m *stdMember) stop() bool { return m.timer.Stop() }
