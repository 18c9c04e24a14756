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

func TestNextIsNeverTooLate(t *testing.T) {
	for _, size := range []int{1, 8, 512} {
		clock, tm := timertest.NewManual(hashedwheel.WithWheelSize(size))
		at, ok := tm.Next()
		assert.False(t, ok, "nothing is pending")
		assert.Zero(t, at)
		var due []time.Time
		for _, d := range []time.Duration{90 * 24 * time.Hour, time.Hour, time.Minute, time.Second, 0} {
			to := tm.AfterFunc(d, timertest.Nop)
			at, ok := tm.Next()
			assert.True(t, ok)
			assert.WithinRange(t, at, to.Deadline(), to.Deadline().Add(2*tm.Tick()), "%d buckets: the earliest", size)
			due = append(due, to.Deadline())
		}
		for len(due) > 0 {
			at, ok := tm.Next()
			require.True(t, ok)
			first := due[len(due)-1]
			assert.WithinRange(t, at, first, first.Add(2*tm.Tick()), "%d buckets", size)
			clock.Advance(at.Sub(clock.Now()))
			due = due[:len(due)-1]
			assert.Equal(t, len(due), tm.Pending(), "what was next has run")
		}
		_, ok = tm.Next()
		assert.False(t, ok)
	}
}

// A timeout that was moved or stopped may make it too early.
func TestNextIsNeverTooLateWhenTimeoutsAreMoved(t *testing.T) {
	clock, tm := timertest.NewManual(hashedwheel.WithWheelSize(8))
	to := tm.AfterFunc(time.Minute, timertest.Nop)
	tm.AfterFunc(time.Second, timertest.Nop).Stop()
	tm.Pending()
	for _, d := range []time.Duration{time.Hour, time.Second, 24 * time.Hour, 0, time.Minute} {
		to.Reset(d)
		at, ok := tm.Next()
		assert.True(t, ok)
		assert.False(t, at.After(to.Deadline().Add(2*tm.Tick())), "%v after the deadline", at.Sub(to.Deadline()))
	}
	to.Stop()
	_, ok := tm.Next()
	assert.False(t, ok, "nothing is pending")
	clock.Advance(time.Hour)
}

func TestNextOfATimeoutThatIsNeverDue(t *testing.T) {
	_, tm := timertest.NewManual()
	to := tm.AfterFunc(1<<63-1, timertest.Nop)
	at, ok := tm.Next()
	assert.True(t, ok, "it is pending")
	assert.WithinDuration(t, to.Deadline(), at, tm.Tick())
	to.Stop()
	_, ok = tm.Next()
	assert.False(t, ok)
}

// In a task its neighbors of the same tick are due now.
func TestNextInATask(t *testing.T) {
	clock, tm := timertest.NewManual()
	left := 10
	for range left {
		tm.AfterFunc(time.Second, func() {
			left--
			at, ok := tm.Next()
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
