package series_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// slot is the Tick of the model's timers. The wheel's ticks are no shorter, so no run waits for a whole Tick.
const slot = 100 * time.Microsecond

// slotDelay is how long the timers' pool keeps a task waiting.
const slotDelay = 3*slot + slot/8

// model is the oracle of the random test: a Series as the documentation describes it, without concurrency. A run begins
// at the tick of its time, or when the executor begins it. It is skipped if Stop or Reset came first, or if another run
// is in progress. The next run is armed when a run returns.
type model struct {
	side
	made      time.Time // the Timer, at the beginning of a tick
	due       time.Time // when the next run is
	on        bool
	isPending bool // the next run has not expired
	isRunning bool
	isStopped bool // the timer
	err       error
	begins    []time.Time // when the executor begins the runs that it has
	ended     time.Time   // when the last run returns
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
	m.arm(time.Now().Add(max(d, 1)))
	return was
}

func (m *model) arm(at time.Time) {
	m.due, m.on, m.isPending, m.err = at, !m.isStopped, !m.isStopped, nil
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
	now := time.Now()
	m.arm(m.pointAfter(now.Add(m.first), now.Add(-min(m.period/10, time.Second))))
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
		return m.pointAfter(m.due, m.tickAt(time.Now())), true
	}
	a := m.nextAnswer()
	m.note("asked", a.of(m))
	if !a.ends {
		at = time.Now().Add(max(a.in, 1))
	}
	return at, a.fails == nil
}

// tickAt returns when the tick of a time began.
func (m *model) tickAt(t time.Time) time.Time { return m.made.Add(t.Sub(m.made).Truncate(slot)) }

// expire is called when a tick has begun.
func (m *model) expire() {
	if now := time.Now(); m.isPending && !m.due.After(now) {
		m.isPending = false
		m.begins = append(m.begins, now.Add(m.delay))
	}
}

// execute begins the run that the executor begins now, if there is one.
func (m *model) execute() {
	if len(m.begins) > 0 && m.begins[0].Equal(time.Now()) {
		m.begins = m.begins[1:]
		if m.on && !m.isPending && !m.isRunning {
			m.run()
		}
	}
}

func (m *model) run() {
	a := m.nextAct()
	m.isRunning = true
	m.note("run", a.first.of(m))
	m.ended = time.Now().Add(a.takes)
	if a.takes == 0 {
		m.armNext()
	}
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

// end is called in the middle of each tick.
func (m *model) end() {
	if m.isRunning && m.ended.Equal(time.Now()) {
		m.note("end", m.acts[m.runs-1].last.of(m))
		m.armNext()
	}
}

// stopTimer returns how many timeouts Timer.StopAll returns.
func (m *model) stopTimer() (left int) {
	m.isStopped = true
	if m.isPending {
		m.Stop()
		return 1
	}
	return 0
}

// actual is a Series that is used as planned.
type actual struct {
	side
	*hashedwheel.Series
}

func (a *actual) begin(tm *hashedwheel.Timer) {
	switch {
	case a.recurs:
		a.Series = tm.Recur(schedule(a.next), a.run)
	case a.first == a.period:
		a.Series = tm.Every(a.period, a.run)
	default:
		a.Series = tm.EveryFrom(tm.Now().Add(a.first), a.period, a.run)
	}
}

func (a *actual) run(s *hashedwheel.Series) {
	act := a.nextAct()
	a.note("run", act.first.of(s))
	if act.takes > 0 {
		time.Sleep(act.takes)
		a.note("end", act.last.of(s))
	}
	if act.fails != nil {
		act.fails()
	}
}

func (a *actual) next(now time.Time) time.Time {
	answer := a.nextAnswer()
	a.note("asked", answer.of(a))
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
	pool := hashedwheel.WithExecutor(delaying(slotDelay))
	for name, c := range map[string]struct {
		executor   []hashedwheel.Option
		delay      time.Duration
		isOnWorker bool
	}{
		"goroutines":         {},
		"Inline":             {executor: []hashedwheel.Option{timertest.Inline}, isOnWorker: true},
		"the worker":         {executor: []hashedwheel.Option{timertest.OnWorker}, isOnWorker: true},
		"a pool that delays": {executor: []hashedwheel.Option{pool}, delay: slotDelay},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := range scripts {
				p := newPlan(rand.New(rand.NewPCG(seed, uint64(len(name)))), c.delay, c.isOnWorker)
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { p.play(t, tm, seed) },
					append(c.executor, hashedwheel.WithTick(slot), swallow)...)
			}
		})
	}
}

// play carries out the plan with a Series and with the model.
func (p *plan) play(t *testing.T, tm *hashedwheel.Timer, seed uint64) {
	got, want := &actual{side: side{plan: *p}}, &model{side: side{plan: *p}, made: tm.Now()}
	timertest.Pass(2*time.Hour + slot/4)
	for i := range ticks {
		if i == p.stopsAt {
			got.note("Timer.StopAll", len(tm.StopAll()))
			want.note("Timer.StopAll", want.stopTimer())
		}
		if i == 0 {
			got.begin(tm)
			want.begin()
		}
		got.note(p.calls[i].of(got), tm.Pending() == 1)
		want.note(p.calls[i].of(want), want.isPending)
		timertest.Pass(slot / 4)
		want.end()
		timertest.Pass(slot / 2)
		want.expire()
		want.execute()
		timertest.Pass(slotDelay % slot)
		want.execute()
		timertest.Pass(slot/4 - slotDelay%slot)
	}
	assert.Equal(t, want.notes(), got.notes(), "script %d", seed)
	tm.StopAll()
	timertest.Pass(ticks * slot) // until the last run has returned
}
