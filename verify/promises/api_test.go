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

// The types that implement the interfaces, checked by the compiler.
var (
	_ hashedwheel.Executor = (*sync.WaitGroup)(nil)
	_ hashedwheel.Executor = hashedwheel.Inline{}
	_ hashedwheel.Executor = hashedwheel.ExecutorFunc(nil)
	_ hashedwheel.Task     = hashedwheel.TaskFunc(nil)
	_ fmt.Stringer         = hashedwheel.Unarmed
)

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

// Init may be repeated until the Timeout is armed.
func TestTimeoutReturnsItsTimerAndTask(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	task := new(timertest.RunLog)
	scheduled, err := tm.Schedule(time.Hour, task)
	require.NoError(t, err)
	owned := new(hashedwheel.Timeout)
	assert.Same(t, owned, owned.InitFunc(tm, timertest.Nop))
	assert.Same(t, owned, owned.Init(tm, task))
	for _, to := range []*hashedwheel.Timeout{scheduled, owned} {
		assert.Same(t, tm, to.Timer())
		assert.Same(t, task, to.Task())
	}
}

func TestTaskOfAfterFuncCallsTheFunction(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	called := false
	to := tm.AfterFunc(time.Hour, func() { called = true })
	to.Task().Run(to)
	assert.True(t, called)
	assert.Equal(t, hashedwheel.Pending, to.State(), "it has not expired")
}

func TestResetAtATimeInThePastIsDueAtTheNextTick(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		made := tm.Now()
		time.Sleep(time.Minute)
		for _, at := range []time.Time{{}, made.Add(-time.Hour), time.Now(), time.Now().Round(0), time.Now().Add(-1)} {
			to := timertest.Owned(tm, timertest.NopTask)
			to.ResetAt(at)
			assert.False(t, to.Deadline().Before(made), "a time before New counts as New")
			timertest.Pass(timertest.Tick)
			assert.Equal(t, hashedwheel.Expired, to.State())
		}
	})
}

func TestNextDueIsNeverTooLate(t *testing.T) {
	for _, size := range []int{1, 8, 512} {
		clock, tm := timertest.NewManual(hashedwheel.WithWheelSize(size))
		at, ok := tm.NextDue()
		assert.False(t, ok, "nothing is pending")
		assert.Zero(t, at)
		var due []time.Time
		for _, d := range []time.Duration{90 * 24 * time.Hour, time.Hour, time.Minute, time.Second, 0} {
			to := tm.AfterFunc(d, timertest.Nop)
			at, ok := tm.NextDue()
			assert.True(t, ok)
			assert.WithinRange(t, at, to.Deadline(), to.Deadline().Add(2*tm.Tick()), "%d buckets: the earliest", size)
			due = append(due, to.Deadline())
		}
		for len(due) > 0 {
			at, ok := tm.NextDue()
			require.True(t, ok)
			first := due[len(due)-1]
			assert.WithinRange(t, at, first, first.Add(2*tm.Tick()), "%d buckets", size)
			clock.Advance(at.Sub(clock.Now()))
			due = due[:len(due)-1]
			assert.Equal(t, len(due), tm.Pending(), "the timeout that was next has run")
		}
		_, ok = tm.NextDue()
		assert.False(t, ok)
	}
}

// Printing reads nothing that the worker writes: otherwise this test fails with the race detector.
func TestStringWhileTheWorkerIsBusy(t *testing.T) {
	tm := timertest.New()
	defer tm.StopAll()
	to := timertest.Owned(tm, timertest.NopTask)
	for i := range 500 {
		to.Reset(time.Duration(i%3) * timertest.Tick)
		if i%10 == 0 {
			time.Sleep(timertest.Tick)
		}
		assert.Regexp(t, `^hashedwheel\.Timeout\((Pending|Expired), .+, .+\)$`, fmt.Sprintf("%v", to))
		assert.Regexp(t, `^\[hashedwheel\.Timeout\(.+\)\]$`, fmt.Sprint([]*hashedwheel.Timeout{to}))
		assert.Regexp(t, `^hashedwheel\.Timer\(tick 1ms\)$`, fmt.Sprintf("%+v", tm))
	}
}

func TestStringHasStateDeadlineAndTask(t *testing.T) {
	_, tm := timertest.NewManual()
	assert.Equal(t, "hashedwheel.Timeout(Unarmed)", fmt.Sprint(new(hashedwheel.Timeout)))
	to := timertest.Owned(tm, new(timertest.RunLog))
	assert.Contains(t, to.String(), "Unarmed")
	to.Reset(time.Minute)
	assert.Equal(t, "hashedwheel.Timeout(Pending, 2025-01-01 00:01:00.000, *timertest.RunLog)", to.String())
	to.Stop()
	assert.Contains(t, to.String(), "Canceled")
	assert.Equal(t, "hashedwheel.Timer(tick 10ms)", tm.String())
}
