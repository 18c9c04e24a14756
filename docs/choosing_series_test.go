package docs

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

func poll(tm *hashedwheel.Timer, look func() bool) {
	tm.Every(time.Second, func(s *hashedwheel.Series) {
		if look() {
			s.Stop() // found: no further run
		}
	})
}

func TestAPollEndsWhenItHasFound(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		looks := 0
		poll(tm, func() bool { looks++; return looks == 3 })
		pass(time.Minute)
		assert.Equal(t, 3, looks)
		assert.Zero(t, tm.Pending())
	})
}

func TestAPollEndsWithItsTimer(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		looks := 0
		poll(tm, func() bool { looks++; return false })
		pass(10 * time.Second)
		tm.Stop()
		pass(time.Minute)
		assert.Equal(t, 10, looks)
	})
}

func withPauses(ctx context.Context, tm *hashedwheel.Timer, pause time.Duration, work func()) {
	tm.Every(pause, func(s *hashedwheel.Series) {
		if ctx.Err() != nil {
			s.Stop()
			return
		}
		work()
		s.Reset(pause) // from now
	})
}

func TestAPauseCountsFromTheEndOfARun(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ctx, cancel := context.WithCancel(t.Context())
		var begun []time.Duration
		start := time.Now()
		withPauses(ctx, tm, 10*time.Second, func() {
			begun = append(begun, time.Since(start).Round(time.Second))
			time.Sleep(25 * time.Second)
		})
		pass(100 * time.Second)
		cancel()
		pass(time.Minute)
		assert.Equal(t, []time.Duration{10 * time.Second, 45 * time.Second, 80 * time.Second}, begun)
		assert.Zero(t, tm.Pending())
	})
}

// fromDue asks a Scheduler with the time at which the run was due.
type fromDue struct {
	hashedwheel.Scheduler
	due time.Time // that the last call gave
}

func (f *fromDue) Next(now time.Time) time.Time {
	if f.due.IsZero() {
		f.due = now
	}
	f.due = f.Scheduler.Next(f.due)
	return f.due
}

// after is a Scheduler that adds a delay to what it gets.
type after time.Duration

func (a after) Next(t time.Time) time.Time { return t.Add(time.Duration(a)) }

func TestASchedulerThatCountsFromWhatWasDueDoesNotDrift(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		late := func(s hashedwheel.Scheduler) (last time.Duration) {
			start, runs := time.Now(), 0
			series := tm.Recur(s, func(*hashedwheel.Series) {
				runs++
				last = time.Since(start) - time.Duration(runs)*1050*time.Millisecond
			})
			defer series.Stop()
			pass(100 * time.Second)
			return last
		}
		period := after(1050 * time.Millisecond)
		assert.Less(t, late(&fromDue{Scheduler: period}), 2*tick)
		assert.Greater(t, late(period), 10*tick)
	})
}

func isHeldUp(tm *hashedwheel.Timer) bool {
	return tm.Stats().Overdue > 2*tm.Tick()
}

func TestATimerWhoseWorkerIsInATaskIsHeldUp(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 2 {
			tm.AfterFunc(0, func() { time.Sleep(time.Minute) })
		}
		pass(0)
		assert.False(t, isHeldUp(tm))
		pass(time.Second)
		assert.True(t, isHeldUp(tm))
		pass(time.Hour)
		synctest.Wait()
		assert.False(t, isHeldUp(tm))
	}, hashedwheel.WithExecutor(hashedwheel.Inline{}))
}
