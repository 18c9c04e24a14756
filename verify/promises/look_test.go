package promises

import (
	"fmt"
	"slices"
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

func TestSampleOfAllPendingTimeouts(t *testing.T) {
	for _, size := range []int{1, 2, 64, 512} {
		for _, n := range []int{1, 10, 1000, 20_000} {
			t.Run(fmt.Sprintf("%d in %d buckets", n, size), func(t *testing.T) {
				_, tm := timertest.NewManual(hashedwheel.WithWheelSize(size))
				all := make([]*hashedwheel.Timeout, n)
				for i := range all {
					d := time.Duration(i%997) * time.Duration(i%97) * time.Second
					all[i] = tm.AfterFunc(d, timertest.Nop)
				}
				assert.Equal(t, addresses(all), addresses(tm.Sample(n)))
				assert.Len(t, tm.Sample(1<<31-1), n)
				stopped := all[0]
				stopped.Stop()
				assert.NotContains(t, addresses(tm.Sample(n)), fmt.Sprintf("%p", stopped))
			})
		}
	}
}

// addresses are sorted, and testify compares them without reading their targets.
func addresses(all []*hashedwheel.Timeout) (names []string) {
	for _, to := range all {
		names = append(names, fmt.Sprintf("%p", to))
	}
	slices.Sort(names)
	return names
}

func TestSampleHasAtMostNTimeouts(t *testing.T) {
	_, tm := timertest.NewManual()
	assert.Empty(t, tm.Sample(10), "nothing is pending")
	for i := range 10_000 {
		tm.AfterFunc(time.Duration(i)*time.Second, timertest.Nop)
	}
	for _, n := range []int{-1 << 31, -1, 0, 1, 7, 100, 9_999} {
		sample := tm.Sample(n)
		assert.Len(t, sample, max(0, n))
		assertNoneTwice(t, sample)
	}
}

func assertNoneTwice(t *testing.T, all []*hashedwheel.Timeout) {
	t.Helper()
	seen := make(map[*hashedwheel.Timeout]bool)
	for _, to := range all {
		assert.False(t, seen[to], "one is there twice")
		seen[to] = true
	}
}

// Spread over all deadlines: not the first hundred.
func TestSampleIsSpread(t *testing.T) {
	const tick = 10 * time.Millisecond
	for says, tt := range map[string]struct{ pending, want int }{
		"one in each slot": {500, 100},
		"many in each":     {100_000, 1000},
	} {
		t.Run(says, func(t *testing.T) {
			clock, tm := timertest.NewManual()
			for i := range tt.pending {
				tm.AfterFunc(time.Duration(i)*tick, timertest.Nop)
			}
			var quarters [4]int
			for _, to := range tm.Sample(tt.want) {
				quarters[int64(4*to.Deadline().Sub(clock.Now())/(time.Duration(tt.pending)*tick))]++
			}
			for q, n := range quarters {
				assert.InDelta(t, tt.want/4, n, float64(tt.want)/10, "quarter %d", q)
			}
		})
	}
}

// While the worker files and hands out, no timeout is there twice, and timeouts that stay pending
// are all there.
func TestSampleWhileTheWorkerIsBusy(t *testing.T) {
	tm := timertest.New(hashedwheel.WithWheelSize(8), maxBusy)
	defer tm.Stop()
	staying := make([]*hashedwheel.Timeout, 2000)
	for i := range staying {
		staying[i] = tm.AfterFunc(time.Hour+time.Duration(i)*timertest.Tick, timertest.Nop)
	}
	end := busy(tm)
	defer end()
	for range 20 {
		sample := tm.Sample(1 << 30)
		assertNoneTwice(t, sample)
		found := make(map[*hashedwheel.Timeout]bool)
		for _, to := range sample {
			found[to] = true
		}
		for i, to := range staying {
			if !found[to] {
				require.Fail(t, "missing", "%d of %d found, not %d", len(sample), tm.Pending(), i)
			}
		}
		assert.LessOrEqual(t, len(tm.Sample(100)), 100)
	}
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
		for _, other := range tm.Sample(10) {
			assert.Contains(t, other.String(), "hashedwheel.Timeout(")
		}
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
