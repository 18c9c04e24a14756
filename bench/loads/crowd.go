package loads

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// crowd is timeouts that record how late they run. Times are durations since start.
type crowd struct {
	start time.Time
	late  []float64 // ms, each written by its member's last run
	ran   atomic.Int64
}

// member is a struct of 256 bytes with a timeout in it, like a session or a
// connection.
type member interface {
	arm(due time.Duration)
	stop() bool
}

// gather makes a crowd whose members are in random order in memory.
func gather(t peers.Timer, n int) (*crowd, []member) {
	c := &crowd{start: time.Now(), late: make([]float64, n)}
	tm, ours := peers.WheelOf(t)
	all := make([]member, n)
	for i := range all {
		if ours {
			m := &wheelMember{crowd: c, i: i}
			m.to.Init(tm, m)
			all[i] = m
		} else {
			all[i] = &stdMember{crowd: c, i: i}
		}
	}
	rand.Shuffle(n, func(i, j int) { all[i], all[j] = all[j], all[i] })
	return c, all
}

// armEvenly arms all in random order, due evenly within a window that begins at first.
func armEvenly(all []member, first, window time.Duration) {
	for _, i := range rand.Perm(len(all)) {
		all[i].arm(first + time.Duration(float64(window)*float64(i)/float64(len(all))))
	}
}

func (c *crowd) run(i int, due time.Duration) {
	c.late[i] = float64(c.now()-due) / 1e6
	c.ran.Add(1)
}

// wait returns once all have run, or a Fault when none has for ten seconds.
func (c *crowd) wait() error {
	t := tally{}
	for seen, since := int64(0), time.Now(); ; time.Sleep(time.Millisecond) {
		t.fired.Store(c.ran.Load())
		if n := t.fired.Load(); n > seen {
			seen, since = n, time.Now()
		}
		if err := t.fault(len(c.late)); err == nil || time.Since(since) > 10*time.Second {
			return err
		}
	}
}

func (c *crowd) now() time.Duration { return time.Since(c.start) }

func (c *crowd) sleepUntil(moment time.Duration) { time.Sleep(moment - c.now()) }

// figures returns how late the members were.
func (c *crowd) figures(prefix string) []Figure {
	figures := quantiles(prefix, Millis, c.late, "p50", "p99", "max")
	figures[0].Mark = earlyOnes(c.late)
	return figures
}

type wheelMember struct {
	to    hashedwheel.Timeout
	due   atomic.Int64 // a run may be under way as it is armed again
	crowd *crowd
	i     int
	_     [256 - 88]byte
}

func (m *wheelMember) Run(*hashedwheel.Timeout) { m.crowd.run(m.i, time.Duration(m.due.Load())) }

func (m *wheelMember) stop() bool { return m.to.Stop() }

func (m *wheelMember) arm(due time.Duration) {
	m.due.Store(int64(due))
	m.to.ResetAt(m.crowd.start.Add(due))
}

type stdMember struct {
	timer *time.Timer
	due   atomic.Int64
	crowd *crowd
	i     int
	_     [256 - 32]byte
}

func (m *stdMember) run() { m.crowd.run(m.i, time.Duration(m.due.Load())) }

func (m *stdMember) stop() bool { return m.timer.Stop() }

func (m *stdMember) arm(due time.Duration) {
	m.due.Store(int64(due))
	if d := due - m.crowd.now(); m.timer == nil {
		m.timer = time.AfterFunc(d, m.run)
	} else {
		m.timer.Reset(d)
	}
}
