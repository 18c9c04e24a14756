package promises

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// What fits what, as the compiler sees it.
var (
	_ hashedwheel.Executor = (*sync.WaitGroup)(nil)
	_ hashedwheel.Executor = hashedwheel.Inline{}
	_ hashedwheel.Executor = hashedwheel.ExecutorFunc(nil)
	_ hashedwheel.Task     = hashedwheel.TaskFunc(nil)
	_ hashedwheel.Clock    = (*hashedwheel.ManualClock)(nil)
	_ fmt.Stringer         = hashedwheel.Unarmed
)

// stopper is the interface of code that is written for *time.Timer.
type stopper interface {
	Stop() bool
	Reset(d time.Duration) bool
}

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
		assert.Equal(t, expected, to.Deadline(), "also after it has expired")
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
		made := tm.Now()
		time.Sleep(time.Minute)
		for _, at := range []time.Time{{}, made.Add(-time.Hour), time.Now(), time.Now().Add(-1)} {
			to := timertest.Owned(tm, timertest.NopTask)
			to.ResetAt(at)
			assert.False(t, to.Deadline().Before(made), "a time before New counts as New")
			timertest.Pass(timertest.Tick)
			assert.Equal(t, hashedwheel.Expired, to.State())
		}
	})
}

func TestInitMayBeRepeatedUntilTheTimeoutIsArmed(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	first, second := new(timertest.RunLog), new(timertest.RunLog)
	to := timertest.Owned(tm, first)
	to.Init(tm, second)
	assert.Same(t, second, to.Task())
}

func TestInitAndInitFuncReturnTheTimeout(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	var to hashedwheel.Timeout
	assert.Same(t, &to, to.Init(tm, timertest.NopTask))
	assert.Same(t, &to, to.InitFunc(tm, timertest.Nop))
}

// All ways to look at a timer while it works.

func TestNowReturnsTheTimeOnTheTimersClock(t *testing.T) {
	clock, tm := timertest.NewManual()
	clock.Advance(time.Hour)
	assert.Equal(t, timertest.Epoch.Add(time.Hour), tm.Now())
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(time.Minute)
		assert.Equal(t, time.Now(), tm.Now(), "the system's, of the bubble")
	})
}

func TestTickIsTheOptionsTick(t *testing.T) {
	for _, tick := range []time.Duration{100 * time.Microsecond, 333_333, time.Hour} {
		assert.Equal(t, tick, hashedwheel.MustNew(hashedwheel.WithTick(tick)).Tick())
	}
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
			assert.Equal(t, len(due), tm.Pending(), "what was next has run")
		}
		_, ok = tm.NextDue()
		assert.False(t, ok)
	}
}

// A timeout that was moved or stopped may make it too early.
func TestNextDueIsNeverTooLateWhenTimeoutsAreMoved(t *testing.T) {
	clock, tm := timertest.NewManual(hashedwheel.WithWheelSize(8))
	to := tm.AfterFunc(time.Minute, timertest.Nop)
	tm.AfterFunc(time.Second, timertest.Nop).Stop()
	tm.Pending()
	for _, d := range []time.Duration{time.Hour, time.Second, 24 * time.Hour, 0, time.Minute} {
		to.Reset(d)
		at, ok := tm.NextDue()
		assert.True(t, ok)
		assert.False(t, at.After(to.Deadline().Add(2*tm.Tick())), "%v after the deadline", at.Sub(to.Deadline()))
	}
	to.Stop()
	_, ok := tm.NextDue()
	assert.False(t, ok, "nothing is pending")
	clock.Advance(time.Hour)
}

func TestNextDueOfATimeoutThatIsNeverDue(t *testing.T) {
	_, tm := timertest.NewManual()
	to := tm.AfterFunc(1<<63-1, timertest.Nop)
	at, ok := tm.NextDue()
	assert.True(t, ok, "it is pending")
	assert.WithinDuration(t, to.Deadline(), at, tm.Tick())
	to.Stop()
	_, ok = tm.NextDue()
	assert.False(t, ok)
}

// In a task its neighbors of the same tick are due now.
func TestNextDueInATask(t *testing.T) {
	clock, tm := timertest.NewManual()
	left := 10
	for range left {
		tm.AfterFunc(time.Second, func() {
			left--
			at, ok := tm.NextDue()
			assert.Equal(t, left > 0, ok)
			if ok {
				assert.False(t, at.After(clock.Now()))
			}
		})
	}
	clock.Advance(time.Second)
	assert.Zero(t, left)
}

// maxBusy bounds what busy arms: under the race detector two goroutines arm more than
// one worker expires, and a Sample of all grows as long as it is taken.
var maxBusy = hashedwheel.WithMaxPending(10_000)

// busy arms, moves and stops in two goroutines until it is ended.
func busy(tm *hashedwheel.Timer) (end func()) {
	var quit atomic.Bool
	var done sync.WaitGroup
	for range 2 {
		done.Go(func() {
			own := make([]hashedwheel.Timeout, 64)
			for i := range own {
				own[i].Init(tm, timertest.NopTask)
			}
			for i := 0; !quit.Load(); i++ {
				own[i%64].Reset(time.Duration(i%17) * timertest.Tick)
				own[i*7%64].Stop()
				tm.AfterFunc(time.Duration(i%40)*timertest.Tick, timertest.Nop)
				if i%64 == 0 {
					time.Sleep(50 * time.Microsecond)
				}
			}
		})
	}
	return func() {
		quit.Store(true)
		done.Wait()
	}
}

// What fmt prints reads nothing that the worker writes: with the race detector this
// fails otherwise.
func TestStringWhileTheWorkerIsBusy(t *testing.T) {
	tm := timertest.New(maxBusy)
	defer tm.Stop()
	end := busy(tm)
	defer end()
	to := timertest.Owned(tm, timertest.NopTask)
	for i := range 500 {
		to.Reset(time.Duration(i%3) * timertest.Tick)
		assert.Regexp(t, `^hashedwheel\.Timeout\((Pending|Expired|Rejected), .+, .+\)$`, fmt.Sprintf("%v", to))
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

func TestErrReturnsTheReasonOfARefusal(t *testing.T) {
	clock, tm := timertest.NewManual(hashedwheel.WithMaxPending(1))
	to := timertest.Owned(tm, timertest.NopTask)
	assert.NoError(t, to.Err(), "not armed yet")
	other := tm.AfterFunc(time.Hour, timertest.Nop)
	to.Reset(time.Second)
	assert.ErrorIs(t, to.Err(), hashedwheel.ErrFull)
	assert.Equal(t, hashedwheel.Rejected, to.State())
	assert.False(t, to.Stop(), "it is not pending")
	assert.ErrorIs(t, to.Err(), hashedwheel.ErrFull, "still")
	assert.ErrorIs(t, tm.AfterFunc(time.Second, timertest.Nop).Err(), hashedwheel.ErrFull)
	other.Stop()
	to.Reset(time.Second)
	assert.NoError(t, to.Err(), "this one was not refused")
	clock.Advance(time.Minute)
	assert.NoError(t, to.Err())
	tm.Stop()
	to.Reset(time.Second)
	assert.ErrorIs(t, to.Err(), hashedwheel.ErrStopped)
	assert.Equal(t, hashedwheel.Rejected, to.State())
	assert.ErrorIs(t, tm.AfterFunc(time.Second, timertest.Nop).Err(), hashedwheel.ErrStopped)
	assert.NoError(t, other.Err(), "it was stopped before")
}
