package crew

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// host runs functions as tasks.
type host struct {
	running atomic.Int32
	entered atomic.Int32
}

func (h *host) Enter()       { h.entered.Add(1); h.running.Add(1) }
func (h *host) Leave()       { h.running.Add(-1) }
func (h *host) Run(f func()) { f() }

// crews returns Crews, and a function that adds a batch and launches it.
func crews(h *host) (launch func(tasks ...func())) {
	cs := new(Crews[func()])
	cs.Init(h)
	return func(tasks ...func()) {
		for _, f := range tasks {
			cs.Add(f)
		}
		cs.Launch()
	}
}

func TestEachTaskRunsOnce(t *testing.T) {
	for _, n := range []int{1, 2, 64} {
		synctest.Test(t, func(t *testing.T) {
			h, runs := new(host), make([]atomic.Int32, n)
			tasks := make([]func(), n)
			for i := range tasks {
				tasks[i] = func() { runs[i].Add(1) }
			}
			crews(h)(tasks...)
			synctest.Wait()
			for i := range runs {
				assert.Equal(t, int32(1), runs[i].Load(), "task %d of %d", i, n)
			}
			assert.Zero(t, h.running.Load(), "all that entered have left")
		})
	}
}

func TestNoTaskWaitsForAnother(t *testing.T) {
	const n = 64
	synctest.Test(t, func(t *testing.T) {
		var begun atomic.Int32
		all := make(chan struct{})
		h, tasks := new(host), make([]func(), n)
		for i := range tasks {
			tasks[i] = func() {
				if begun.Add(1) == n {
					close(all)
				}
				<-all
			}
		}
		crews(h)(tasks...)
		<-all
		synctest.Wait()
		assert.Zero(t, h.running.Load())
	})
}

func TestATaskMayEndItsGoroutine(t *testing.T) {
	const n = 64
	synctest.Test(t, func(t *testing.T) {
		h, tasks, begun := new(host), make([]func(), n), atomic.Int32{}
		for i := range tasks {
			tasks[i] = func() { begun.Add(1); runtime.Goexit() }
		}
		crews(h)(tasks...)
		synctest.Wait()
		assert.Equal(t, int32(n), begun.Load())
		assert.Zero(t, h.running.Load())
	})
}

func TestQuickTasksShareAFewGoroutines(t *testing.T) {
	const n, rounds = 64, 200
	synctest.Test(t, func(t *testing.T) {
		h, tasks := new(host), make([]func(), n)
		for i := range tasks {
			tasks[i] = func() {}
		}
		launch := crews(h)
		for range rounds {
			launch(tasks...)
			synctest.Wait()
		}
		assert.Less(t, h.entered.Load(), int32(n*rounds/4))
	})
}

func TestALaunchWithoutTasksStartsNothing(t *testing.T) {
	h := new(host)
	launch := crews(h)
	launch()
	launch()
	assert.Zero(t, h.entered.Load())
}

func TestEmptyCrewIsReused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, cs, runs := new(host), new(Crews[func()]), 0
		task := func() { runs++ }
		cs.Init(h)
		allocated := testing.AllocsPerRun(1000, func() {
			cs.Add(task)
			cs.Launch()
			synctest.Wait()
		})
		assert.Zero(t, allocated, "for a batch")
		assert.Equal(t, 1001, runs)
	})
}

func TestSlowTaskOccupiesOnlyItsOwnCrew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, slow, runs := new(host), make(chan struct{}), 0
		launch := crews(h)
		launch(func() {})
		synctest.Wait()
		launch(func() { <-slow }) // in the crew that was used before
		for range 10 {
			launch(func() { runs++ })
			synctest.Wait()
		}
		assert.Equal(t, 10, runs)
		assert.Equal(t, int32(1), h.running.Load(), "the slow one")
		close(slow)
		synctest.Wait()
		assert.Zero(t, h.running.Load())
	})
}

func TestCrewReleasesTasksThatHaveRun(t *testing.T) {
	h, gone, done := new(host), make(chan struct{}), make(chan struct{})
	cs := new(Crews[func()])
	cs.Init(h)
	func() {
		held := new([64]byte)
		runtime.AddCleanup(held, func(c chan struct{}) { close(c) }, gone)
		cs.Add(func() { held[0]++; close(done) })
		cs.Launch()
	}()
	<-done
	assert.Eventually(t, func() bool {
		runtime.GC()
		select {
		case <-gone:
			return true
		default:
			return false
		}
	}, 10*time.Second, time.Millisecond)
	runtime.KeepAlive(cs)
}

// Batches follow each other while crews come, run and leave.
func TestBatchesInACrowdRunOnceEach(t *testing.T) {
	const rounds = 20_000
	h, slow := new(host), make(chan struct{})
	launch := crews(h)
	var runs, want atomic.Int64
	tasks := []func(){
		func() { runs.Add(1) },
		func() { runs.Add(1); runtime.Goexit() },
		func() { runs.Add(1); runtime.Gosched() },
		func() { runs.Add(1); <-slow },
	}
	for i := range rounds {
		batch := tasks[:1+i%3]
		if i%1000 == 0 {
			batch = tasks
		}
		want.Add(int64(len(batch)))
		launch(batch...)
	}
	close(slow)
	assert.Eventually(t, func() bool { return h.running.Load() == 0 }, 10*time.Second, time.Millisecond)
	assert.Equal(t, want.Load(), runs.Load())
}
