package main

import (
	"math/rand/v2"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// series is a life's series from Every. Each is one arming from its beginning, or its Reset, to its
// end, however often it runs.
type series struct {
	members [seriesAtATime]*member // belongs to the goroutine that manages them, then to the reckoning
}

type member struct {
	account
	series        *hashedwheel.Series // guarded by mu, until the reckoning
	began, period int64
	runs          int64       // belongs to the run that is on
	running       atomic.Bool // a run is on
	moved         atomic.Bool // by Reset: no longer on the grid that began gives
}

const (
	seriesAtATime = 16
	waiters       = 8
)

func (l *life) beginSeries() {
	r := rand.New(rand.NewPCG(l.seed, l.roll()))
	l.crew.Go(func() { l.manageSeries(r) })
	for range waiters {
		r := rand.New(rand.NewPCG(l.seed, l.roll()))
		l.crew.Go(func() { l.wait(r) })
	}
}

// manageSeries begins series, moves some and stops most.
func (l *life) manageSeries(r *rand.Rand) {
	for i := range l.series.members {
		l.series.members[i] = l.every(l.period(r))
	}
	for !l.quit.Load() {
		m := &l.series.members[r.IntN(seriesAtATime)]
		if r.IntN(4) == 0 {
			(*m).moved.Store(true)
			(*m).reset(l.period(r))
		} else if (*m).stop() || (*m).isSettled() {
			*m = l.every(l.period(r))
		}
		time.Sleep(l.tick)
	}
	for _, m := range l.series.members {
		if l.closing.Load() {
			m.stop()
		}
	}
}

func (l *life) period(r *rand.Rand) time.Duration {
	return 1 + time.Duration(r.Int64N(int64(10*l.tick)))
}

func (l *life) every(period time.Duration) *member {
	m := &member{period: int64(period)}
	m.life, m.kind = l, fromEvery
	m.mu.Lock()
	defer m.mu.Unlock()
	m.began = l.now()
	m.series = l.tm.Every(period, m.run)
	m.to = m.series
	m.begin(m.began, false, m.series.Err())
	return m
}

// run is one run of the series. The n-th is due n periods from the beginning or
// later, since runs are left out but never doubled.
func (m *member) run(*hashedwheel.Series) {
	now, l := m.life.now(), m.life
	if !m.running.CompareAndSwap(false, true) {
		l.fault("two runs of a series at the same time", time.Duration(m.period).String())
		return
	}
	defer m.running.Store(false)
	l.runsOfSeries.Add(1)
	m.runs++
	if due := m.began + m.runs*m.period; now < due && !m.moved.Load() {
		l.fault("a series ran before its time", "early by "+time.Duration(due-now).String())
	}
	if l.reckoning.Load() {
		l.fault("a series ran after Shutdown", time.Duration(m.period).String())
	}
	switch n := l.roll() % 200; {
	case n < 2:
		m.stop()
	case n < 4:
		l.panics.Add(1)
		panic(mischief{})
	case n < 5:
		l.slow.Add(1)
		time.Sleep(3 * l.tick)
	}
}

// wait is somebody who waits for After again and again. Only the timer's Stop
// may let him go early.
func (l *life) wait(r *rand.Rand) {
	for !l.quit.Load() {
		d := l.soon(r.Uint64())
		deadline := l.deadlineIn(d)
		<-l.tm.After(d)
		now := l.now()
		if now < deadline && !l.stopping.Load() {
			l.fault("After's channel was closed before its time", "early by "+time.Duration(deadline-now).String())
		}
		l.waited.Add(1)
		if l.stopping.Load() {
			time.Sleep(l.tick)
		}
	}
}
