package hashedwheel_test

import (
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// stopper is what code that is written for *time.Timer asks for.
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
	_ fmt.Stringer         = hashedwheel.Idle
)

// Both behave the same behind that interface.
func TestTimeoutReportsWhatTimeTimerReports(t *testing.T) {
	for name, afterFunc := range map[string]func(tm *hashedwheel.Timer, d time.Duration) stopper{
		"time.Timer": func(_ *hashedwheel.Timer, d time.Duration) stopper { return time.AfterFunc(d, nop) },
		"Timeout":    func(tm *hashedwheel.Timer, d time.Duration) stopper { return tm.AfterFunc(d, nop) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				timer := afterFunc(tm, time.Second)
				assert.True(t, timer.Reset(2*time.Second), "it was pending")
				assert.True(t, timer.Stop(), "it was pending")
				assert.False(t, timer.Stop(), "it was stopped")
				assert.False(t, timer.Reset(time.Second), "it was stopped")
				pass(2 * time.Second)
				assert.False(t, timer.Stop(), "it has expired")
				assert.False(t, timer.Reset(time.Second), "it had expired")
				assert.True(t, timer.Stop())
			})
		})
	}
}

func TestStateHasAName(t *testing.T) {
	for state, name := range map[hashedwheel.State]string{
		hashedwheel.Idle:      "Idle",
		hashedwheel.Pending:   "Pending",
		hashedwheel.Expired:   "Expired",
		hashedwheel.Cancelled: "Cancelled",
		hashedwheel.Rejected:  "Rejected",
		hashedwheel.State(77): "State(?)",
	} {
		assert.Equal(t, name, state.String())
	}
}

func TestTheZeroTimeoutIsIdle(t *testing.T) {
	var to hashedwheel.Timeout
	assert.Equal(t, hashedwheel.Idle, to.State())
	assert.False(t, to.Stop())
	assert.True(t, to.Deadline().IsZero())
	assert.Nil(t, to.Task())
	assert.Nil(t, to.Timer())
}

func TestTimeoutKnowsItsTimerAndTask(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	task := new(runLog)
	to, err := tm.Schedule(time.Hour, task)
	require.NoError(t, err)
	assert.Same(t, tm, to.Timer())
	assert.Same(t, task, to.Task())
	own := owned(tm, task)
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
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var got []*hashedwheel.Timeout
		task := hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) { got = append(got, to) })
		first, _ := tm.Schedule(oneTick, task)
		second, _ := tm.Schedule(2*oneTick, task)
		pass(5 * oneTick)
		assert.Equal(t, []*hashedwheel.Timeout{first, second}, got)
	}, onWorker)
}

func TestDeadlineIsWhatTheLastArmingAskedFor(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(oneTick / 3)
		at := func(d time.Duration) time.Time { return time.Now().Add(d) }
		to := owned(tm, nopTask)
		assert.True(t, to.Deadline().IsZero(), "not armed yet")

		to.Reset(5*oneTick + 1)
		assert.Equal(t, at(5*oneTick+1), to.Deadline(), "to the nanosecond")
		to.Reset(7 * oneTick)
		assert.Equal(t, at(7*oneTick), to.Deadline())
		expected := at(time.Second)
		to.ResetAt(expected)
		assert.Equal(t, expected, to.Deadline())

		pass(2 * time.Second)
		assert.Equal(t, expected, to.Deadline(), "after it has expired, too")
		to.Reset(-time.Second)
		assert.Equal(t, at(-time.Second), to.Deadline())
		to.Stop()
		assert.Equal(t, at(-time.Second), to.Deadline())
		tm.Stop()
		to.Reset(time.Minute)
		assert.Equal(t, at(time.Minute), to.Deadline(), "even if it was refused")
	})
}

func TestResetAtATimeInThePastIsDueAtTheNextTick(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(time.Minute)
		for _, at := range []time.Time{{}, time.Unix(0, 0), time.Now(), time.Now().Add(-1)} {
			to := owned(tm, nopTask)
			to.ResetAt(at)
			pass(oneTick)
			assert.Equal(t, hashedwheel.Expired, to.State())
		}
	})
}

func TestResetAtIsResetToThatTime(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log runLog
		to := owned(tm, &log)
		at := time.Now().Add(10*oneTick + 1)
		assert.False(t, to.ResetAt(at))
		assert.True(t, to.ResetAt(at), "it is pending")
		assert.True(t, to.ResetAt(at.Round(0)), "a wall time will do")
		pass(time.Second)
		require.Len(t, log.times(), 1)
		assert.WithinRange(t, log.times()[0], at, at.Add(oneTick))
	})
}

// A mistake in the program panics at the call, as in package time.
func TestMisusePanics(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithClock(hashedwheel.NewManualClock(time.Now())))
	pending := tm.AfterFunc(time.Hour, nop)
	stopped := tm.AfterFunc(time.Hour, nop)
	stopped.Stop()
	var unbound hashedwheel.Timeout
	for name, misuse := range map[string]func(){
		"AfterFunc with a nil func":            func() { tm.AfterFunc(time.Second, nil) },
		"Schedule with a nil Task":             func() { _, _ = tm.Schedule(time.Second, nil) },
		"Schedule with a nil TaskFunc":         func() { _, _ = tm.Schedule(time.Second, hashedwheel.TaskFunc(nil)) },
		"Init with a nil Timer":                func() { new(hashedwheel.Timeout).Init(nil, nopTask) },
		"Init with a nil Task":                 func() { new(hashedwheel.Timeout).Init(tm, nil) },
		"Init with a nil TaskFunc":             func() { new(hashedwheel.Timeout).Init(tm, hashedwheel.TaskFunc(nil)) },
		"Init of a Timeout that is Pending":    func() { pending.Init(tm, nopTask) },
		"Init of a Timeout that was Cancelled": func() { stopped.Init(tm, nopTask) },
		"Reset before Init":                    func() { unbound.Reset(time.Second) },
		"ResetAt before Init":                  func() { unbound.ResetAt(time.Now()) },
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
	first, second := new(runLog), new(runLog)
	to := owned(tm, first)
	to.Init(tm, second)
	assert.Same(t, second, to.Task())
}

func TestPendingIsExact(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for i := range 100 {
			to := tm.AfterFunc(time.Duration(i)*oneTick, nop)
			require.Equal(t, i+1, tm.Pending(), "at once, before any tick")
			to.Reset(time.Duration(100+i) * oneTick)
			require.Equal(t, i+1, tm.Pending())
		}
		pass(99 * oneTick)
		for left := 100; left >= 0; left-- {
			require.Equal(t, left, tm.Pending())
			pass(oneTick)
		}
	})
}

func TestPendingDoesNotCountATaskThatRuns(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		counts := make(map[int]int)
		for range 100 {
			tm.AfterFunc(oneTick, func() { counts[tm.Pending()]++ })
		}
		pass(oneTick)
		assert.Len(t, counts, 100, "each of 99, 98 ... 0 once")
		assert.Equal(t, 1, counts[0])
	}, onWorker)
}
