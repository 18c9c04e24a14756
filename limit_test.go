package hashedwheel_test

import (
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// manyTasks fill many parts of a Limit's queue, the last one in part.
const manyTasks = 1000

// withLimit is timertest.InBubble with a Limit as the Executor.
func withLimit(t *testing.T, n int, f func(t *testing.T, tm *hashedwheel.Timer), opts ...hashedwheel.Option) {
	t.Helper()
	timertest.InBubble(t, f, append(opts, hashedwheel.WithExecutor(hashedwheel.Limit(n)))...)
}

func TestLimitBelowOnePanics(t *testing.T) {
	assert.PanicsWithValue(t, "hashedwheel: Limit(0): must be positive", func() { hashedwheel.Limit(0) })
	assert.PanicsWithValue(t, "hashedwheel: Limit(-1): must be positive", func() { hashedwheel.Limit(-1) })
}

// Each task takes a second, so the queue is empty after as many seconds as there are groups of n tasks.
func TestLimitRunsNTasksAtOnceInOrder(t *testing.T) {
	for _, n := range []int{1, 3, 64, manyTasks, 2 * manyTasks} {
		synctest.Test(t, func(t *testing.T) {
			l, start := hashedwheel.Limit(n), time.Now()
			began := make([]time.Duration, manyTasks)
			for i := range began {
				l.Go(func() {
					began[i] = time.Since(start)
					time.Sleep(time.Second)
				})
			}
			timertest.Pass(manyTasks * time.Second)
			for i, at := range began {
				require.Equal(t, time.Duration(i/n)*time.Second, at, "task %d of Limit(%d)", i, n)
			}
		})
	}
}

// The race detector fails this test if tasks that do not overlap are not ordered.
func TestLimitOfOneOrdersTasks(t *testing.T) {
	withLimit(t, 1, func(t *testing.T, tm *hashedwheel.Timer) {
		var got, want []int
		for i := range manyTasks {
			want = append(want, i)
			tm.AfterFunc(time.Duration(i)*timertest.Tick/5, func() { got = append(got, i) })
		}
		timertest.Pass(manyTasks * timertest.Tick)
		assert.NoError(t, timertest.ShutdownErr(tm))
		slices.Sort(got) // the order within one tick is not promised
		assert.Equal(t, want, got)
	})
}

// The library's own tasks are on time while all n tasks block and 100,000 wait.
func TestLimitNeverBlocksTheWorker(t *testing.T) {
	withLimit(t, 2, func(t *testing.T, tm *hashedwheel.Timer) {
		var ran atomic.Int32
		over := make(chan struct{})
		const tasks = 100_000
		for i := range tasks {
			tm.AfterFunc(time.Duration(i%100)*timertest.Tick, func() {
				ran.Add(1)
				<-over
			})
		}
		for range 200 {
			select {
			case <-tm.After(3 * timertest.Tick):
			case <-time.After(4*timertest.Tick + 1):
				require.Fail(t, "a channel of After is late")
			}
			require.LessOrEqual(t, tm.Stats().Overdue, timertest.Tick)
		}
		assert.Zero(t, tm.Pending())
		assert.EqualValues(t, 2, ran.Load())
		close(over)
		assert.NoError(t, timertest.ShutdownErr(tm))
		assert.EqualValues(t, tasks, ran.Load())
	})
}

func TestLimitWithoutTasksHasNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := hashedwheel.Limit(4)
		for range 3 {
			for range manyTasks {
				l.Go(timertest.Nop)
			}
			synctest.Wait()
			assert.Zero(t, timertest.LibraryGoroutines())
		}
	})
}

// While the last task runs, those that have returned are garbage, and most of the queue is.
func TestLimitLetsGoOfTasksAndQueue(t *testing.T) {
	const tasks = 100_000
	l, over := hashedwheel.Limit(1), make(chan struct{})
	before := timertest.Heap()
	l.Go(func() { <-over })
	var wait sync.WaitGroup
	wait.Add(tasks)
	for range tasks {
		l.Go(wait.Done)
	}
	held := new([1024]byte)
	weakly := weak.Make(held)
	l.Go(func() { runtime.KeepAlive(held) })
	last := make(chan struct{})
	l.Go(func() {
		close(last)
		over <- struct{}{}
	})
	assert.Greater(t, timertest.Heap()-before, int64(tasks*8), "the queue")
	over <- struct{}{}
	<-last
	assert.Less(t, timertest.Heap()-before, int64(tasks), "what is left")
	timertest.AssertGarbage(t, weakly, "a task that has returned")
	<-over
	wait.Wait()
}

// Goroutines that share a Limit queue tasks, which queue others, and end in all ways.
func TestLimitInAStorm(t *testing.T) {
	const producers, n = 8, 3
	l := hashedwheel.Limit(n)
	var running atomic.Int32
	var left sync.WaitGroup
	task := func(i int, then func()) func() {
		left.Add(1)
		return func() {
			assert.LessOrEqual(t, running.Add(1), int32(n))
			then()
			if i%5 == 0 {
				runtime.Gosched()
			}
			running.Add(-1)
			left.Done()
			if i%7 == 0 {
				runtime.Goexit()
			}
		}
	}
	var done sync.WaitGroup
	for range producers {
		done.Go(func() {
			for i := range timertest.Lasting(20_000) {
				l.Go(task(int(i), func() { l.Go(task(int(i)+1, timertest.Nop)) }))
				if i%500 == 0 {
					time.Sleep(timertest.Tick) // the queue may become empty
				}
			}
		})
	}
	done.Wait()
	timertest.Returns(t, left.Wait)
}
