package promises

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// stopper is the interface of code that is written for *time.Timer.
type stopper interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// What fits what, as the compiler sees it.
var (
	_ stopper              = (*time.Timer)(nil)
	_ stopper              = (*hashedwheel.Timeout)(nil)
	_ hashedwheel.Executor = (*sync.WaitGroup)(nil)
	_ hashedwheel.Executor = hashedwheel.Inline{}
	_ hashedwheel.Executor = hashedwheel.ExecutorFunc(nil)
	_ hashedwheel.Task     = hashedwheel.TaskFunc(nil)
	_ hashedwheel.Clock    = (*hashedwheel.ManualClock)(nil)
	_ fmt.Stringer         = hashedwheel.Unarmed
)

// Both behave the same behind that interface.
func TestTimeoutReportsWhatTimeTimerReports(t *testing.T) {
	for name, afterFunc := range map[string]func(tm *hashedwheel.Timer, d time.Duration) stopper{
		"time.Timer": func(_ *hashedwheel.Timer, d time.Duration) stopper { return time.AfterFunc(d, timertest.Nop) },
		"Timeout":    func(tm *hashedwheel.Timer, d time.Duration) stopper { return tm.AfterFunc(d, timertest.Nop) },
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				timer := afterFunc(tm, time.Second)
				assert.True(t, timer.Reset(2*time.Second), "it was pending")
				assert.True(t, timer.Stop(), "it was pending")
				assert.False(t, timer.Stop(), "it was stopped")
				assert.False(t, timer.Reset(time.Second), "it was stopped")
				timertest.Pass(2 * time.Second)
				assert.False(t, timer.Stop(), "it has expired")
				assert.False(t, timer.Reset(time.Second), "it had expired")
				assert.True(t, timer.Stop())
			})
		})
	}
}

func TestStateHasAName(t *testing.T) {
	for state, name := range map[hashedwheel.State]string{
		hashedwheel.Unarmed:   "Unarmed",
		hashedwheel.Pending:   "Pending",
		hashedwheel.Expired:   "Expired",
		hashedwheel.Canceled:  "Canceled",
		hashedwheel.Rejected:  "Rejected",
		hashedwheel.State(77): "State(?)",
	} {
		assert.Equal(t, name, state.String())
	}
}

func TestTheZeroTimeoutIsIdle(t *testing.T) {
	var to hashedwheel.Timeout
	assert.Equal(t, hashedwheel.Unarmed, to.State())
	assert.False(t, to.Stop())
	assert.True(t, to.Deadline().IsZero())
	assert.Nil(t, to.Task())
	assert.Nil(t, to.Timer())
}

func TestTimeoutReturnsItsTimerAndTask(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	task := new(timertest.RunLog)
	to, err := tm.Schedule(time.Hour, task)
	require.NoError(t, err)
	assert.Same(t, tm, to.Timer())
	assert.Same(t, task, to.Task())
	own := timertest.Owned(tm, task)
	assert.Same(t, tm, own.Timer())
	assert.Same(t, task, own.Task())
}

func TestTaskOfAfterFuncCallsTheFunction(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	called := false
	to := tm.AfterFunc(time.Hour, func() { called = true })
	to.Task().Run(to)
	assert.True(t, called)
	assert.Equal(t, hashedwheel.Pending, to.State(), "that was not its turn")
}

func TestTaskGetsTheTimeoutThatExpired(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var got []*hashedwheel.Timeout
		task := hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) { got = append(got, to) })
		first, _ := tm.Schedule(timertest.Tick, task)
		second, _ := tm.Schedule(2*timertest.Tick, task)
		timertest.Pass(5 * timertest.Tick)
		assert.Equal(t, []*hashedwheel.Timeout{first, second}, got)
	}, timertest.OnWorker)
}

func TestDeadlineIsThatOfTheLastArming(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(timertest.Tick / 3)
		at := func(d time.Duration) time.Time { return time.Now().Add(d) }
		to := timertest.Owned(tm, timertest.NopTask)
		assert.True(t, to.Deadline().IsZero(), "not armed yet")

		to.Reset(5*timertest.Tick + 1)
		assert.Equal(t, at(5*timertest.Tick+1), to.Deadline(), "to the nanosecond")
		to.Reset(7 * timertest.Tick)
		assert.Equal(t, at(7*timertest.Tick), to.Deadline())
		expected := at(time.Second)
		to.ResetAt(expected)
		assert.Equal(t, expected, to.Deadline())

		timertest.Pass(2 * time.Second)
		assert.Equal(t, expected, to.Deadline(), "after it has expired, too")
		to.Reset(-time.Second)
		assert.Equal(t, at(0), to.Deadline(), "a negative delay is none")
		to.Stop()
		assert.Equal(t, at(0), to.Deadline())
		to.ResetAt(at(-time.Second))
		assert.Equal(t, at(-time.Second), to.Deadline(), "a time in the past is what it is")
		tm.Stop()
		to.Reset(time.Minute)
		assert.Equal(t, at(time.Minute), to.Deadline(), "even if it was refused")
	})
}

func TestResetAtATimeInThePastIsDueAtTheNextTick(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(time.Minute)
		for _, at := range []time.Time{{}, time.Unix(0, 0), time.Now(), time.Now().Add(-1)} {
			to := timertest.Owned(tm, timertest.NopTask)
			to.ResetAt(at)
			timertest.Pass(timertest.Tick)
			assert.Equal(t, hashedwheel.Expired, to.State())
		}
	})
}

func TestResetAtIsResetToThatTime(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log timertest.RunLog
		to := timertest.Owned(tm, &log)
		at := time.Now().Add(10*timertest.Tick + 1)
		assert.False(t, to.ResetAt(at))
		assert.True(t, to.ResetAt(at), "it is pending")
		assert.True(t, to.ResetAt(at.Round(0)), "a wall time will do")
		timertest.Pass(time.Second)
		require.Len(t, log.Times(), 1)
		assert.WithinRange(t, log.Times()[0], at, at.Add(timertest.Tick))
	})
}

// A mistake in the program panics at the call, as in package time.
func TestMisusePanics(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithClock(hashedwheel.NewManualClock(time.Now())))
	pending := tm.AfterFunc(time.Hour, timertest.Nop)
	stopped := tm.AfterFunc(time.Hour, timertest.Nop)
	stopped.Stop()
	var unbound hashedwheel.Timeout
	for name, misuse := range map[string]func(){
		"AfterFunc with a nil func":           func() { tm.AfterFunc(time.Second, nil) },
		"Schedule with a nil Task":            func() { _, _ = tm.Schedule(time.Second, nil) },
		"Schedule with a nil TaskFunc":        func() { _, _ = tm.Schedule(time.Second, hashedwheel.TaskFunc(nil)) },
		"Init with a nil Timer":               func() { new(hashedwheel.Timeout).Init(nil, timertest.NopTask) },
		"Init with a nil Task":                func() { new(hashedwheel.Timeout).Init(tm, nil) },
		"Init with a nil TaskFunc":            func() { new(hashedwheel.Timeout).Init(tm, hashedwheel.TaskFunc(nil)) },
		"Init of a Timeout that is Pending":   func() { pending.Init(tm, timertest.NopTask) },
		"Init of a Timeout that was Canceled": func() { stopped.Init(tm, timertest.NopTask) },
		"Reset before Init":                   func() { unbound.Reset(time.Second) },
		"ResetAt before Init":                 func() { unbound.ResetAt(time.Now()) },
	} {
		t.Run(name, func(t *testing.T) {
			defer func() { assert.Regexp(t, "^hashedwheel: ", recover()) }()
			misuse()
			assert.Fail(t, "no panic")
		})
	}
	assert.Equal(t, 1, tm.Pending(), "nothing came of it")
}

func TestInitMayBeRepeatedUntilTheTimeoutIsArmed(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	first, second := new(timertest.RunLog), new(timertest.RunLog)
	to := timertest.Owned(tm, first)
	to.Init(tm, second)
	assert.Same(t, second, to.Task())
}

func TestPendingIsExact(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for i := range 100 {
			to := tm.AfterFunc(time.Duration(i)*timertest.Tick, timertest.Nop)
			require.Equal(t, i+1, tm.Pending(), "at once, before any tick")
			to.Reset(time.Duration(100+i) * timertest.Tick)
			require.Equal(t, i+1, tm.Pending())
		}
		timertest.Pass(99 * timertest.Tick)
		for left := 100; left >= 0; left-- {
			require.Equal(t, left, tm.Pending())
			timertest.Pass(timertest.Tick)
		}
	})
}

func TestPendingDoesNotCountATaskThatRuns(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		counts := make(map[int]int)
		for range 100 {
			tm.AfterFunc(timertest.Tick, func() { counts[tm.Pending()]++ })
		}
		timertest.Pass(timertest.Tick)
		assert.Len(t, counts, 100, "each of 99, 98 ... 0 once")
		assert.Equal(t, 1, counts[0])
	}, timertest.OnWorker)
}
