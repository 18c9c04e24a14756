package series_test

import (
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// poolDelay is how long the timers' pool keeps a task waiting.
const poolDelay = 3*slot + slot/8

// model is the oracle of the random test: a Series as the documentation describes it, without concurrency, on a timer
// that is exact. A run begins at its time, or when the executor begins it. It is skipped if Stop or Reset came first,
// or if another run is in progress. The next run is armed when a run has ended.
type model struct {
	side
	now       time.Time
	due       time.Time // when the next run is
	expires   time.Time // due, but not at once: no time passes during a call
	on        bool
	isPending bool // the next run has not expired
	isRunning bool
	isStopped bool // the timer
	err       error
	begins    []time.Time // when the executor begins the runs that it has
	ends      time.Time   // when the run in progress returns
}

func (m *model) Next() time.Time {
	if !m.on {
		return time.Time{}
	}
	return m.due
}

func (m *model) Err() error { return m.err }

func (m *model) Stop() (was bool) {
	was, m.on, m.isPending = m.on, false, false
	return was
}

func (m *model) Reset(d time.Duration) (was bool) {
	was, m.period = m.on, d
	m.arm(m.now.Add(max(d, 1)))
	return was
}

func (m *model) arm(at time.Time) {
	m.due, m.on, m.isPending, m.err = at, !m.isStopped, !m.isStopped, nil
	m.expires = m.now.Add(max(at.Sub(m.now), 1))
	if m.isStopped {
		m.err = hashedwheel.ErrStopped
	}
}

func (m *model) begin() {
	if m.recurs {
		if at, _ := m.next(); !at.IsZero() {
			m.arm(at)
		}
		return
	}
	m.arm(m.pointAfter(m.now.Add(m.first), m.now.Add(-min(m.period/10, time.Second))))
}

// pointAfter returns the first point of the grid after a time, from a point on.
func (m *model) pointAfter(point, t time.Time) time.Time {
	if point.After(t) {
		return point
	}
	return point.Add((t.Sub(point)/m.period + 1) * m.period)
}

// next returns the time after the run that has returned now, unless the Scheduler fails.
func (m *model) next() (at time.Time, ok bool) {
	if !m.recurs {
		return m.pointAfter(m.due, m.now), true
	}
	a := m.nextAnswer()
	m.note(m.now, "asked", a.of(m))
	if !a.ends {
		at = m.now.Add(max(a.in, 1))
	}
	return at, a.fails == nil
}

// passTo has everything happen that happens up to a time.
func (m *model) passTo(t time.Time) {
	for {
		at, happens := m.nextEvent()
		if happens == nil || at.After(t) {
			m.now = t
			return
		}
		m.now = at
		happens()
	}
}

func (m *model) nextEvent() (at time.Time, happens func()) {
	if m.isPending {
		at, happens = m.expires, m.expire
	}
	if len(m.begins) > 0 && (happens == nil || m.begins[0].Before(at)) {
		at, happens = m.begins[0], m.execute
	}
	if m.isRunning && (happens == nil || m.ends.Before(at)) {
		at, happens = m.ends, m.end
	}
	return at, happens
}

func (m *model) expire() {
	m.isPending = false
	m.begins = append(m.begins, m.now.Add(m.delay))
}

func (m *model) execute() {
	m.begins = m.begins[1:]
	if !m.on || m.isPending || m.isRunning {
		return
	}
	a := m.nextAct()
	m.isRunning = true
	m.note(m.now, "run", a.first.of(m))
	m.ends = m.now.Add(a.takes)
	if a.takes == 0 {
		m.armNext()
	}
}

func (m *model) end() {
	m.note(m.now, "end", m.act.last.of(m))
	m.armNext()
}

func (m *model) armNext() {
	at, ok := m.next()
	m.isRunning = false
	switch {
	case !m.on || m.isPending: // the run, or the Scheduler, called Reset or Stop
	case !ok || at.IsZero():
		m.on = false
	default:
		m.arm(at)
	}
}

func (m *model) stopTimer() {
	m.isStopped = true
	if m.isPending {
		m.Stop()
	}
}

// actual is a Series that is used as planned.
type actual struct {
	side
	series atomic.Pointer[hashedwheel.Series]
}

func (a *actual) begin(tm *hashedwheel.Timer) {
	switch {
	case a.recurs:
		a.series.Store(tm.Recur(schedule(a.next), a.run))
	case a.first == a.period:
		a.series.Store(tm.Every(a.period, a.run))
	default:
		a.series.Store(tm.EveryFrom(tm.Now().Add(a.first), a.period, a.run))
	}
}

func (a *actual) run(s *hashedwheel.Series) {
	act := a.nextAct()
	a.note(time.Now(), "run", act.first.of(s))
	if act.takes > 0 {
		time.Sleep(act.takes)
		a.note(time.Now(), "end", act.last.of(s))
	}
	if act.fails != nil {
		act.fails()
	}
}

func (a *actual) next(now time.Time) time.Time {
	answer := a.nextAnswer()
	a.note(time.Now(), "asked", answer.of(a.series.Load()))
	if answer.fails != nil {
		answer.fails()
	}
	if answer.ends {
		return time.Time{}
	}
	return now.Add(answer.in)
}

func TestSeriesAgreesWithTheModel(t *testing.T) {
	scripts := uint64(300)
	if testing.Short() {
		scripts /= 5
	}
	pool := hashedwheel.WithExecutor(delaying(poolDelay))
	for name, c := range map[string]struct {
		executor   []hashedwheel.Option
		delay      time.Duration
		isOnWorker bool
	}{
		"goroutines":         {},
		"Inline":             {executor: []hashedwheel.Option{timertest.Inline}, isOnWorker: true},
		"the worker":         {executor: []hashedwheel.Option{timertest.OnWorker}, isOnWorker: true},
		"a pool that delays": {executor: []hashedwheel.Option{pool}, delay: poolDelay},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range scripts {
				p := newPlan(rand.New(rand.NewPCG(seed, uint64(len(name)))), c.delay, c.isOnWorker)
				synctest.Test(t, func(t *testing.T) {
					p.play(t, hashedwheel.MustNew(append(c.executor, swallow)...), seed)
				})
			}
		})
	}
}

// play carries out the plan with a Series and with the model.
func (p *plan) play(t *testing.T, tm *hashedwheel.Timer, seed uint64) {
	timertest.Pass(2 * time.Hour)
	got, want, start := &actual{side: side{plan: *p}}, &model{side: side{plan: *p}, now: time.Now()}, time.Now()
	stop := func() {
		assert.Empty(t, tm.StopAll())
		want.stopTimer()
	}
	if p.stopsAt == 0 {
		stop()
	}
	got.begin(tm)
	want.begin()
	for i := range slots {
		timertest.Pass(time.Until(start.Add(time.Duration(i)*slot + p.calls[i].at)))
		want.passTo(time.Now())
		if i == p.stopsAt && i > 0 {
			stop()
		}
		got.note(time.Now(), p.calls[i].of(got.series.Load()), tm.Pending() == 1)
		want.note(want.now, p.calls[i].of(want), want.isPending)
	}
	timertest.Pass(slot)
	want.passTo(time.Now())
	require.Equal(t, want.notes(), got.notes(), "script %d", seed)
	tm.StopAll()
	timertest.Pass(slots * slot) // until the last run has returned
}
