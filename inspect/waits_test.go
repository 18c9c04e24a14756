package inspect_test

import (
	"runtime"
	"runtime/metrics"
	"slices"
	"sync"
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

func TestProcessorWaitIsOnThePageAndInTheReport(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	defer tm.Stop()
	h := inspect.Handler(timers{"calls": tm})
	tm.AfterFunc(0, func() {})         // after the Handler, which counts from then on
	time.Sleep(600 * time.Millisecond) // the page leaves out a shorter time
	crowd()
	got := page(h)
	for _, row := range []string{
		"tasks, since the start", "tasks, over the last", "goroutines&#39; wait for a processor, over the last",
	} {
		assert.Regexp(t, `<th scope="row">`+row+`.*</th><td>within .*</td><td>within .*</td></tr>`, got)
	}
	wait := readReport(t, h).ProcessorWait
	assert.Greater(t, time.Duration(wait.P99NS), time.Millisecond)
	assert.Positive(t, wait.P50NS)
	assert.LessOrEqual(t, wait.P50NS, wait.P99NS)
}

func TestReadyGoroutinesAreOnThePageAndInTheReport(t *testing.T) {
	if !slices.ContainsFunc(metrics.All(), func(d metrics.Description) bool {
		return d.Name == "/sched/goroutines/runnable:goroutines"
	}) {
		t.Skip("before Go 1.26 the runtime does not count them")
	}
	tm, clock := newTimer(t)
	tm.AfterFunc(time.Second, func() {})
	clock.Advance(time.Minute)
	h := inspect.Handler(timers{"calls": tm})
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	var all sync.WaitGroup
	beside := func(look func()) {
		for range 1000 {
			all.Go(func() {})
		}
		look() // within the 10 ms that a goroutine may run
		all.Wait()
	}
	beside(func() {
		r := readReport(t, h)
		assert.Equal(t, 1, r.Processors)
		require.NotNil(t, r.ReadyGoroutines)
		assert.InDelta(t, 1000, *r.ReadyGoroutines, 100)
	})
	beside(func() {
		const row = `goroutines that are ready to run, now</th><td colspan="2">(9\d\d|1,0\d\d) for 1 processor</td>`
		assert.Regexp(t, row, page(h))
	})
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
