package inspect_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

// A thousand goroutines share the only processor.
func TestWaitsAndReadyGoroutinesAreInTheReport(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	h := inspect.Handler(nil)
	var all sync.WaitGroup
	var stop atomic.Bool
	for range 1000 {
		all.Go(func() {
			for !stop.Load() {
				runtime.Gosched()
			}
		})
	}
	time.Sleep(30 * time.Millisecond)
	r := readReport(t, h)
	stop.Store(true)
	all.Wait()
	assert.Equal(t, 1, r.Processors)
	assert.InDelta(t, 1000, r.ReadyGoroutines, 100)
	assert.Positive(t, r.ProcessorWait.P50NS)
	assert.LessOrEqual(t, r.ProcessorWait.P50NS, r.ProcessorWait.P99NS)
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
