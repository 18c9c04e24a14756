package crew

import (
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"

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

func TestEachTaskRunsOnce(t *testing.T) {
	for _, n := range []int{1, 2, 64} {
		synctest.Test(t, func(t *testing.T) {
			h, runs := new(host), make([]atomic.Int32, n)
			tasks := make([]func(), n)
			for i := range tasks {
				tasks[i] = func() { runs[i].Add(1) }
			}
			Launch(h, tasks)
			synctest.Wait()
			for i := range runs {
				assert.Equal(t, int32(1), runs[i].Load(), "task %d of %d", i, n)
				assert.Nil(t, tasks[i], "the crew lets go of what it has taken")
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
		Launch(h, tasks)
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
		Launch(h, tasks)
		synctest.Wait()
		assert.Equal(t, int32(n), begun.Load())
		assert.Zero(t, h.running.Load())
	})
}

func TestQuickTasksShareAFewGoroutines(t *testing.T) {
	const n, rounds = 64, 200
	synctest.Test(t, func(t *testing.T) {
		h := new(host)
		for range rounds {
			tasks := make([]func(), n)
			for i := range tasks {
				tasks[i] = func() {}
			}
			Launch(h, tasks)
			synctest.Wait()
		}
		assert.Less(t, h.entered.Load(), int32(n*rounds/4))
	})
}
