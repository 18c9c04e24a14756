package hashedwheel

import (
	"math"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The goroutine that starts the worker again need not be synchronized with the goroutine that started it
// before: run with -race.
func TestWorkerStartsAgainFromAnotherGoroutine(t *testing.T) {
	tm := MustNew(WithTick(time.Millisecond))
	defer tm.Stop()
	var ran atomic.Int32
	for i := range int32(5) {
		go tm.AfterFunc(0, func() { ran.Add(1) })
		hasEnded := func() bool { return ran.Load() == i+1 && tm.worker.alarm.load().status() == asleep }
		require.Eventually(t, hasEnded, 20*time.Second, time.Millisecond)
	}
}

// The sleeps vary, so that some armings start a worker at the moment at which the previous worker ends.
func TestWorkerStartsWhileThePreviousWorkerEnds(t *testing.T) {
	tm := MustNew(WithTick(100 * time.Microsecond))
	defer tm.Stop()
	var done sync.WaitGroup
	for range 4 {
		done.Go(func() {
			for i := range 1000 {
				ran := make(chan struct{})
				tm.AfterFunc(0, func() { close(ran) })
				select {
				case <-ran:
				case <-time.After(20 * time.Second):
					t.Errorf("timeout %d has not run: no worker was started", i)
					return
				}
				time.Sleep(time.Duration(i%7) * 50 * time.Microsecond)
			}
		})
	}
	done.Wait()
}

// newTimelineAt returns a timeline with a tick of 10ns, ns after its start.
func newTimelineAt(ns int64) *timeline {
	clock := NewManualClock(time.Unix(0, 0))
	tl := newTimeline(clock, 10)
	clock.Advance(time.Duration(ns))
	return &tl
}

func TestDeadlineIsBetweenNowAndNever(t *testing.T) {
	for _, row := range []struct {
		now  int64
		d    time.Duration
		want int64
	}{
		{100, 0, 100},
		{100, 7, 107},
		{100, -1, 100},
		{100, math.MinInt64, 100},
		{100, maxDeadline - 101, maxDeadline - 1},
		{100, maxDeadline - 100, maxDeadline},
		{100, maxDeadline, maxDeadline},
		{100, math.MaxInt64, maxDeadline},
		{0, math.MaxInt64, maxDeadline},
	} {
		assert.Equal(t, row.want, newTimelineAt(row.now).deadline(row.now, row.d), "%d from %d", row.d, row.now)
	}
}

func TestSinceClampsTimesToTheRangeOfDeadlines(t *testing.T) {
	tl := newTimelineAt(0)
	for at, want := range map[time.Duration]int64{
		-7: 0, 0: 0, 7: 7, math.MinInt64: 0, math.MaxInt64: maxDeadline,
	} {
		assert.Equal(t, want, tl.since(tl.start.Add(at)), "at %d", at)
	}
}

func TestTickAtIsTheLastTickThatHasBegun(t *testing.T) {
	tl := newTimelineAt(0)
	for now, want := range map[int64]int64{0: 0, 9: 0, 10: 1, 11: 1} {
		assert.Equal(t, want, tl.tickAt(now), "at %d", now)
	}
}

func TestNowIsAlwaysBeforeMaxDeadline(t *testing.T) {
	assert.Equal(t, int64(maxDeadline-1), newTimelineAt(math.MaxInt64).now())
}

// calendar is a Scheduler that notes the times it gets.
type calendar struct{ got []time.Time }

func (c *calendar) Next(now time.Time) time.Time {
	c.got = append(c.got, now)
	return time.Time{}
}

// The system's wall clock is set an hour ahead after New. A Scheduler must get the time that it shows
// now.
func TestRecurReadsTheWallClockAndNowDoesNot(t *testing.T) {
	tm, set, c := MustNew(), time.Now().Add(time.Hour), new(calendar)
	defer tm.Stop()
	tm.time.clock = setClock{set}
	assert.Less(t, tm.Now().Sub(tm.time.start), time.Minute)
	tm.Recur(c, func(*Series) {})
	assert.Equal(t, []time.Time{set}, c.got)
}

// setClock stands for the system's clock after it was set.
type setClock struct{ at time.Time }

func (c setClock) Now() time.Time                     { return c.at }
func (setClock) After(time.Duration) <-chan time.Time { return nil }

// The library runs tasks inline without calling Inline.Go; executors that wrap Inline call it.
func TestInlineGoRunsTheFunctionBeforeItReturns(t *testing.T) {
	ran := false
	Inline{}.Go(func() { ran = true })
	assert.True(t, ran)
}
