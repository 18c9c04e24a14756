package channels_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// On one thread no other goroutine runs until this one blocks: a channel that another goroutine must
// close is still open here.
func TestAfterIsClosedByTheWorkerWithInline(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range 100 {
		clock, tm := timertest.NewManual(hashedwheel.WithExecutor(hashedwheel.Inline{}))
		c := tm.After(tick)
		clock.Advance(10 * time.Millisecond)
		assert.True(t, timertest.IsClosed(c), "when Advance returns")
		tm.Stop()
	}
}

// With any other executor a separate goroutine closes the channel, so that a crowd does not hold up
// the worker. At least one of a hundred tries shows it.
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
				if !timertest.IsClosed(c) {
					open++
				}
				<-c
				timertest.Shutdown(t, tm)
			}
			assert.Positive(t, open, "when Advance returned")
		})
	}
}

// Shutdown waits for the goroutine that closes channels.
func TestAfterIsClosedWhenShutdownReturns(t *testing.T) {
	for name, opts := range timertest.EachExecutor {
		t.Run(name, func(t *testing.T) {
			for range 100 {
				clock, tm := timertest.NewManual(opts...)
				c := tm.After(tick)
				clock.Advance(10 * time.Millisecond)
				timertest.Shutdown(t, tm)
				assert.True(t, timertest.IsClosed(c))
			}
		})
	}
}

// Go blocks for five ticks, so that the channel and the timeout after it are handed out together,
// and then for an hour. The channel does not need the user's executor.
func TestAfterIsClosedWhileGoBlocksOnATimeoutOfItsBatch(t *testing.T) {
	blocks := []time.Duration{5 * tick, time.Hour}
	blocking := hashedwheel.ExecutorFunc(func(func()) {
		d := blocks[0]
		blocks = blocks[1:]
		time.Sleep(d)
	})
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(tick, timertest.Nop)
		c := tm.After(2 * tick)
		tm.AfterFunc(3*tick, timertest.Nop)
		timertest.Pass(7 * tick)
		assert.Empty(t, blocks, "the second timeout is with Go")
		assert.True(t, timertest.IsClosed(c))
		timertest.Pass(time.Hour)
	}, hashedwheel.WithExecutor(blocking))
}
