package promises

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// countingExecutor has a counter without a lock: the race detector finds two calls of Go that nothing
// orders.
type countingExecutor struct {
	calls   int
	inside  atomic.Int32
	overlap atomic.Bool
}

func (e *countingExecutor) Go(f func()) {
	if e.inside.Add(1) > 1 {
		e.overlap.Store(true)
	}
	defer e.inside.Add(-1) // deferred: f may end the goroutine
	e.calls++
	switch {
	case e.calls%3 == 0:
		f()
	case e.calls%100 == 1:
		go f()
		runtime.Goexit() // another worker goes on
	default:
		go f()
		runtime.Gosched()
	}
}

// hammer arms timeouts in four goroutines and starts series, until end is called.
func hammer(tm *hashedwheel.Timer) (end func()) {
	var quit atomic.Bool
	var producers sync.WaitGroup
	for i := range 4 {
		series := tm.Every(timertest.Tick, func(*hashedwheel.Series) {})
		producers.Go(func() {
			defer series.Stop()
			for n := 0; !quit.Load(); n++ {
				tm.AfterFunc(time.Duration(n%3)*timertest.Tick, timertest.Nop)
				tm.After(timertest.Tick)
				if n%100 == i {
					tm.Pending()
					time.Sleep(timertest.Tick)
				}
			}
		})
	}
	return func() {
		quit.Store(true)
		producers.Wait()
	}
}

func TestExecutorGoIsNeverCalledTwiceAtATime(t *testing.T) {
	e := new(countingExecutor)
	tm := timertest.NewOn(e)
	end := hammer(tm)
	time.Sleep(timertest.Lasting(time.Second))
	end()
	timertest.Shutdown(t, tm)
	assert.False(t, e.overlap.Load())
	assert.Positive(t, e.calls)
}

func TestExecutorGoIsNeverCalledTwiceAtATimeByAdvance(t *testing.T) {
	e := new(countingExecutor)
	clock := hashedwheel.NewManualClock(time.Now())
	tm := timertest.NewOn(e, hashedwheel.WithClock(clock))
	end := hammer(tm)
	for begun := time.Now(); time.Since(begun) < timertest.Lasting(time.Second); {
		var advancing sync.WaitGroup
		for range 4 {
			advancing.Go(func() { clock.Advance(timertest.Tick) })
		}
		advancing.Wait()
	}
	end()
	timertest.Shutdown(t, tm)
	assert.False(t, e.overlap.Load())
	assert.Positive(t, e.calls)
}
