package main

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
	"github.com/stretchr/testify/require"
)

// inBubble runs f in a synctest bubble, with a timer made there.
func inBubble(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer)) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
		defer tm.Stop()
		f(t, tm)
	})
}

func TestLimitEndsTheContextOnTime(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		ctx, cancel := withLimit(t.Context(), tm, time.Minute)
		defer cancel()
		require.NoError(t, ctx.Err())
		at, ok := ctx.Deadline()
		require.True(t, ok)
		require.Equal(t, start.Add(time.Minute), at)
		<-ctx.Done()
		require.Equal(t, time.Minute, time.Since(start))
		require.Equal(t, context.DeadlineExceeded, ctx.Err())
	})
}

func TestLimitOfTheParentIsKept(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for _, limit := range []time.Duration{time.Second, time.Hour} {
			parent, cancelParent := context.WithTimeout(t.Context(), time.Minute)
			ctx, cancel := withLimit(parent, tm, limit)
			at, _ := ctx.Deadline()
			require.Equal(t, min(limit, time.Minute), time.Until(at))
			<-ctx.Done()
			require.Equal(t, context.DeadlineExceeded, ctx.Err(), "whichever was first")
			cancel()
			cancelParent()
			synctest.Wait()
			require.Zero(t, tm.Pending())
		}
	})
}

// The parent ends at any moment: before, while and after the limit is armed.
func TestLimitEndsWithItsParentAtAnyMoment(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	for range 2000 {
		parent, cancelParent := context.WithCancelCause(context.Background())
		go cancelParent(errShutdown)
		ctx, cancel := withLimit(parent, tm, time.Hour)
		<-ctx.Done()
		require.Equal(t, context.Canceled, ctx.Err())
		require.Equal(t, errShutdown, context.Cause(ctx))
		cancel()
	}
	require.True(t, example.Until(grace, func() bool { return tm.Pending() == 0 }), "%d left", tm.Pending())
}

// The worst moment: the parent ends just before the timeout is armed.
func TestLimitIsNotArmedIfItsParentEndsAtThatMoment(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancelParent := context.WithCancel(t.Context())
		clock := &hookedClock{hook: func() { // Reset reads the clock
			cancelParent()
			time.Sleep(time.Millisecond)
		}}
		tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))
		defer tm.Stop()
		clock.once.Store(true)
		ctx, cancel := withLimit(parent, tm, time.Hour)
		defer cancel()
		require.Equal(t, context.Canceled, ctx.Err())
		require.Zero(t, tm.Pending())
	})
}

// hookedClock is the system's clock, and calls a function before it is read for the first time.
type hookedClock struct {
	hook func()
	once atomic.Bool
}

func (c *hookedClock) Now() time.Time {
	if c.once.CompareAndSwap(true, false) {
		c.hook()
	}
	return time.Now()
}

func (c *hookedClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// A parent outlives its children, and must not refer to ended ones.
func TestEndedLimitIsUntiedFromItsParent(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		parent := &counting{Context: t.Context()}
		for range 3 {
			ctx, cancel := withLimit(parent, tm, time.Minute)
			<-ctx.Done()
			cancel()
			_, cancel = withLimit(parent, tm, time.Minute)
			cancel()
		}
		require.Equal(t, 6, parent.tied)
		require.Equal(t, 6, parent.untied)
	})
}

// counting is a parent that counts the calls of AfterFunc and of the returned stop functions.
type counting struct {
	context.Context
	tied, untied int
}

func (c *counting) Done() <-chan struct{} { return never }

func (c *counting) AfterFunc(func()) func() bool {
	c.tied++
	return func() bool {
		c.untied++
		return true
	}
}

type another struct{}

func TestChildEndsWithErrAndCauseOfTheLimit(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ctx, cancel := withLimit(context.WithValue(t.Context(), key{}, "above"), tm, time.Minute)
		defer cancel()
		child, cancelChild := context.WithCancel(context.WithValue(ctx, another{}, 1))
		defer cancelChild()
		<-child.Done()
		require.True(t, exceeded(child))
		require.Equal(t, "above", child.Value(key{}))
	})
}

func TestRejectedLimitHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, _ *hashedwheel.Timer) {
		full := hashedwheel.MustNew(hashedwheel.WithMaxPending(1))
		defer full.Stop()
		full.AfterFunc(time.Minute, func() {})
		parent, cancelParent := context.WithCancel(t.Context())
		defer cancelParent()
		ctx, cancel := withLimit(parent, full, time.Second)
		defer cancel()
		require.Equal(t, context.Canceled, ctx.Err())
		require.Equal(t, hashedwheel.ErrFull, context.Cause(ctx))
	})
}

func TestCancelOfALimitIsNoDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ctx, cancel := withLimit(t.Context(), tm, time.Minute)
		cancel()
		require.Equal(t, context.Canceled, ctx.Err())
		require.Zero(t, tm.Pending())
		time.Sleep(time.Hour)
		require.Equal(t, context.Canceled, ctx.Err())
		require.Zero(t, tm.Stats().Expired)
	})
}

func TestTieStopsTheTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ctx, cancel := context.WithCancel(t.Context())
		to := tm.AfterFunc(time.Minute, func() { require.Fail(t, "ran") })
		free := tm.AfterFunc(time.Minute, func() {})
		tie(ctx, to)
		require.True(t, tie(ctx, free)(), "untied")
		cancel()
		time.Sleep(time.Hour)
		require.Equal(t, hashedwheel.Canceled, to.State())
		require.Equal(t, hashedwheel.Expired, free.State())
	})
}
