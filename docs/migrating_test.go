package docs

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

type stopper interface {
	Stop() bool
	Reset(d time.Duration) bool
}

var (
	_ stopper = (*time.Timer)(nil)
	_ stopper = (*hashedwheel.Timeout)(nil)
)

func withTicks(tm *hashedwheel.Timer, f func(ticks <-chan struct{})) {
	ticks := make(chan struct{}, 1)
	series := tm.Every(time.Second, func(*hashedwheel.Series) {
		select {
		case ticks <- struct{}{}:
		default: // the receiver is slow: drop it, as a Ticker does
		}
	})
	defer series.Stop()
	f(ticks)
}

func TestATickersChannelKeepsOneTickForASlowReceiver(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		begin := time.Now()
		withTicks(tm, func(ticks <-chan struct{}) {
			time.Sleep(3500 * time.Millisecond)
			<-ticks // kept; two more were dropped
			require.Equal(t, 3500*time.Millisecond, time.Since(begin))
			<-ticks
			fourth := begin.Add(4 * time.Second)
			assert.WithinRange(t, time.Now(), fourth, fourth.Add(tick))
		})
		assert.Zero(t, tm.Pending())
	})
}

func withTimeout(parent context.Context, tm *hashedwheel.Timer, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	expire := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { cancel(context.DeadlineExceeded) })
	timeout, err := tm.Schedule(d, expire)
	if err != nil {
		cancel(err) // stopped or full; or fall back to context.WithTimeout
		return ctx, func() {}
	}
	return ctx, func() {
		timeout.Stop()
		cancel(context.Canceled)
	}
}

func TestWithTimeoutEndsAtItsDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		deadline := time.Now().Add(time.Second)
		ctx, cancel := withTimeout(t.Context(), tm, time.Second)
		defer cancel()
		<-ctx.Done()
		assert.WithinRange(t, time.Now(), deadline, deadline.Add(tick))
		assert.Equal(t, context.Canceled, ctx.Err())
		assert.Equal(t, context.DeadlineExceeded, context.Cause(ctx))
	})
}

func TestWithTimeoutIsCancelled(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ctx, cancel := withTimeout(t.Context(), tm, time.Second)
		require.NoError(t, ctx.Err())
		cancel()
		assert.Equal(t, context.Canceled, context.Cause(ctx))
		assert.Zero(t, tm.Pending())
	})
}

func TestWithTimeoutIsPendingUntilCancelThoughItsParentHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		parent, end := context.WithCancel(t.Context())
		ctx, cancel := withTimeout(parent, tm, time.Second)
		end()
		<-ctx.Done()
		assert.Equal(t, 1, tm.Pending())
		cancel()
		assert.Zero(t, tm.Pending())
	})
}

func TestWithTimeoutThatIsRefusedHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.Stop()
		ctx, cancel := withTimeout(t.Context(), tm, time.Second)
		defer cancel()
		<-ctx.Done()
		assert.Equal(t, hashedwheel.ErrStopped, context.Cause(ctx))
	})
}

func TestTimersByKey(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		execute := func(key string, _ int) { t.Error(key, "ran") }
		jobs := keyed.New(tm, execute)
		err := jobs.Set("a", 1, time.Minute)  // arms a, or replaces its value and moves it
		moved := jobs.Touch("a", time.Second) // false: it is not there any more, or refused
		value, ok := jobs.Delete("a")         // true: execute is not called for it
		require.NoError(t, err)
		assert.True(t, moved)
		assert.True(t, ok)
		assert.Equal(t, 1, value)
		pass(time.Hour)
	})
}

func TestTimersByKeyThatAreLeft(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ran, saved := make(chan string, 10), map[string]int{}
		jobs := keyed.New(tm, func(key string, _ int) { ran <- key })
		save := func(key string, value int) { saved[key] = value }
		require.NoError(t, jobs.Set("due", 1, time.Second))
		require.NoError(t, jobs.Set("a", 2, time.Minute))
		pass(time.Second)
		tm.Stop()
		jobs.Drain(save)
		assert.Equal(t, map[string]int{"a": 2}, saved)
		pass(time.Hour)
		require.Len(t, ran, 1)
		assert.Equal(t, "due", <-ran)
	})
}
