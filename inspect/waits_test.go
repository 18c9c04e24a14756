package inspect_test

import (
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

// crowd keeps the only processor busy three times, while a thousand goroutines wait for it, until they get their turn.
func crowd() {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for range 3 {
		var all sync.WaitGroup
		for range 1000 {
			all.Go(func() {})
		}
		for begun := time.Now(); time.Since(begun) < 30*time.Millisecond; {
		}
		all.Wait()
	}
}

func TestProcessorWaitIsInTheReport(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	defer tm.Stop()
	h := inspect.Handler(timers{"calls": tm})
	crowd()
	wait := readReport(t, h).ProcessorWait
	assert.Greater(t, time.Duration(wait.P99NS), time.Millisecond)
	assert.Positive(t, wait.P50NS)
	assert.LessOrEqual(t, wait.P50NS, wait.P99NS)
}

func TestReadyGoroutinesAreInTheReport(t *testing.T) {
	if !slices.ContainsFunc(metrics.All(), func(d metrics.Description) bool {
		return d.Name == "/sched/goroutines/runnable:goroutines"
	}) {
		t.Skip("before Go 1.26 the runtime does not count them")
	}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var all sync.WaitGroup
	var stop atomic.Bool
	for range 1000 {
		all.Go(func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		})
	}
	r := readReport(t, inspect.Handler(nil))
	stop.Store(true)
	all.Wait()
	assert.Equal(t, 1, r.Processors)
	require.NotNil(t, r.ReadyGoroutines)
	assert.InDelta(t, 1000, *r.ReadyGoroutines, 100)
}

// As the rates of the page; but looks at the page and reports do not end each other's time.
func TestProcessorWaitIsSinceTheLastReport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew()
		defer tm.Stop()
		tm.AfterFunc(0, func() {})
		h := inspect.Handler(timers{"calls": tm})
		over := func() time.Duration { return time.Duration(readReport(t, h).ProcessorWait.OverNS) }
		time.Sleep(10 * time.Second)
		assert.Equal(t, 10*time.Second, over())
		time.Sleep(3 * time.Second)
		page(h)
		time.Sleep(time.Second)
		assert.Equal(t, 4*time.Second, over())
		assert.Equal(t, 4*time.Second, over(), "less than a second later it is the same look")
		time.Sleep(2 * time.Second)
		assert.Equal(t, 2*time.Second, over())
	})
}
