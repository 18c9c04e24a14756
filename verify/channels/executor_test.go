package channels_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// With one thread nothing runs beside this goroutine but what it waits for: a
// channel that another goroutine closes is still open here.
func TestAfterIsClosedByTheWorkerWithInline(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range 100 {
		clock, tm := timertest.NewManual(hashedwheel.WithExecutor(hashedwheel.Inline{}))
		c := tm.After(tick)
		clock.Advance(10 * time.Millisecond)
		assert.True(t, isClosed(c), "when Advance returns")
		tm.Stop()
	}
}

// Else a goroutine of its own closes it, so that a crowd does not hold the worker up.
// Once in a hundred tries that is seen from here.
func TestAfterIsClosedByAGoroutineWithAnyOtherExecutor(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, opts := range map[string][]hashedwheel.Option{
		"the default":          nil,
		"a goroutine each":     {hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { go f() }))},
		"the worker":           {timertest.OnWorker},
		"a pool that is stuck": {hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(func()) {}))},
	} {
		t.Run(name, func(t *testing.T) {
			open := 0
			for range 100 {
				clock := hashedwheel.NewManualClock(timertest.Epoch)
				tm := timertest.New(append(opts, hashedwheel.WithClock(clock))...)
				c := tm.After(tick)
				clock.Advance(tick)
				if !isClosed(c) {
					open++
				}
				<-c
				timertest.Shutdown(t, tm)
			}
			assert.Positive(t, open, "when Advance returned")
		})
	}
}

func TestAfterIsClosedWhenStopReturns(t *testing.T) {
	for name, opts := range timertest.EitherExecutor {
		t.Run(name, func(t *testing.T) {
			_, tm := timertest.NewManual(opts...)
			c := tm.After(time.Hour)
			tm.Stop()
			assert.True(t, isClosed(c))
			assert.True(t, isClosed(tm.After(0)), "a call after Stop")
		})
	}
}

// The goroutine that closes is one that Shutdown waits for.
func TestAfterIsClosedWhenShutdownReturns(t *testing.T) {
	for name, opts := range timertest.EitherExecutor {
		t.Run(name, func(t *testing.T) {
			for range 100 {
				clock, tm := timertest.NewManual(opts...)
				c := tm.After(tick)
				clock.Advance(10 * time.Millisecond)
				timertest.Shutdown(t, tm)
				assert.True(t, isClosed(c))
			}
		})
	}
}
