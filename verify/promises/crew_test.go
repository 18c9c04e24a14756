package promises

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// The default executor has tasks share goroutines. None may notice.

// crewSizes are numbers of tasks due in one tick: around the size of a batch.
var crewSizes = []int{1, 2, 3, 63, 64, 65, 128, 1000}

func TestCrewTasksDoNotWaitForEachOther(t *testing.T) {
	for _, n := range crewSizes {
		timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
			begun, all := make(chan int, n), make(chan struct{})
			for i := range n {
				tm.AfterFunc(timertest.Tick, func() {
					begun <- i
					<-all // or the bubble is deadlocked
				})
			}
			for range n {
				<-begun
			}
			close(all)
			timertest.Pass(timertest.Tick)
			assert.NoError(t, timertest.ShutdownErr(tm))
		})
	}
}

// Some return at once, some wait for a later one, in all positions.
func TestCrewSlowTasksAmongQuickOnes(t *testing.T) {
	for _, n := range crewSizes {
		for _, every := range []int{2, 3, 31, 63} {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				quick, over := make(chan struct{}, n), make(chan struct{})
				want := 0
				for i := range n {
					if i%every == 0 {
						tm.AfterFunc(timertest.Tick, func() { <-over })
					} else {
						want++
						tm.AfterFunc(timertest.Tick, func() { quick <- struct{}{} })
					}
				}
				for range want {
					<-quick
				}
				close(over)
				timertest.Pass(timertest.Tick)
				assert.NoError(t, timertest.ShutdownErr(tm))
			})
		}
	}
}

func TestCrewTasksThatEndTheirGoroutinesOrPanic(t *testing.T) {
	for _, n := range crewSizes {
		timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
			var began atomic.Int64
			for i := range n {
				tm.AfterFunc(timertest.Tick, func() {
					began.Add(1)
					switch i % 3 {
					case 0:
						runtime.Goexit()
					case 1:
						panic("on purpose")
					}
				})
			}
			timertest.Pass(3 * timertest.Tick)
			assert.EqualValues(t, n, began.Load())
			assert.NoError(t, timertest.ShutdownErr(tm))
			assert.Equal(t, uint64((n+1)/3), tm.Stats().Panics)
		}, hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
	}
}

func TestCrewsAreFewAndCostNearlyNoAllocation(t *testing.T) {
	const n = 6400
	clock := hashedwheel.NewManualClock(time.Now())
	tm := timertest.New(hashedwheel.WithClock(clock))
	defer tm.Stop()
	var ran, most atomic.Int64
	task := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
		ran.Add(1)
		if now := int64(runtime.NumGoroutine()); now > most.Load() {
			most.Store(now) // another write may be lost: one task runs at a time, except when preempted
		}
	})
	all := make([]hashedwheel.Timeout, n)
	for i := range all {
		all[i].Init(tm, task)
	}
	before := int64(runtime.NumGoroutine())
	allocs := testing.AllocsPerRun(5, func() { // on one processor
		ran.Store(0)
		for i := range all {
			all[i].Reset(timertest.Tick)
		}
		clock.Advance(2 * timertest.Tick)
		for ran.Load() < n {
			runtime.Gosched()
		}
	})
	assert.Less(t, allocs/n, 6.4/limits.Batch)
	assert.Less(t, most.Load()-before, int64(4*n/limits.Batch))
}

// A goroutine that allocates may have to help the collector: then the worker, and due timeouts,
// would wait behind all other goroutines.
func TestABatchThatEndsBeforeTheNextIsHandedOutWithoutAnAllocation(t *testing.T) {
	allocs := func(opts ...hashedwheel.Option) (n float64) {
		synctest.Test(t, func(*testing.T) {
			clock := hashedwheel.NewManualClock(time.Now())
			tm := timertest.New(append(opts, hashedwheel.WithClock(clock))...)
			defer tm.Stop()
			var to hashedwheel.Timeout
			to.Init(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
			n = testing.AllocsPerRun(100, func() {
				to.Reset(timertest.Tick)
				clock.Advance(2 * timertest.Tick)
				synctest.Wait() // all have left the crew
			})
		})
		return n
	}
	assert.Equal(t, allocs(timertest.Inline), allocs(), "what Advance allocates")
}

// A task that has run is garbage although another task of its batch never returns.
func TestCrewASlowTaskKeepsNothingFromTheCollector(t *testing.T) {
	const n = 64
	tm := timertest.New()
	defer tm.Stop()
	over := make(chan struct{})
	defer close(over)
	var freed atomic.Int64
	for i := range n {
		to := tm.AfterFunc(2*timertest.Tick, func() {
			if i%2 == 0 {
				<-over
			}
		})
		runtime.AddCleanup(to, func(*atomic.Int64) { freed.Add(1) }, &freed)
	}
	require.Eventually(t, func() bool {
		runtime.GC()
		return freed.Load() >= n/2
	}, 20*time.Second, timertest.Tick)
}
