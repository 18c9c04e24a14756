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
type host struct{ running, entered atomic.Int32 }

func (h *host) Enter()       { h.running.Add(1); h.entered.Add(1) }
func (h *host) Leave()       { h.running.Add(-1) }
func (h *host) Run(f func()) { f() }

// newCrews returns Crews that share goroutines, also under the race detector, or do not, also without it.
func newCrews(h *host, separate bool) *Crews[func()] {
	cs := new(Crews[func()])
	cs.Init(h)
	cs.separate = separate
	return cs
}

func (cs *Crews[T]) launch(tasks ...T) {
	for _, t := range tasks {
		cs.Add(t)
	}
	cs.Launch()
}

// inBothWays runs a test of shared and of separate goroutines.
func inBothWays(t *testing.T, f func(t *testing.T, h *host, cs *Crews[func()])) {
	for name, separate := range map[string]bool{"shared": false, "separate": true} {
		t.Run(name, func(t *testing.T) {
			h := new(host)
			f(t, h, newCrews(h, separate))
		})
	}
}

// What a program sees of crews is tested with the executor, in the root.

func TestSlowTaskOccupiesOnlyItsOwnCrew(t *testing.T) {
	inBothWays(t, func(t *testing.T, h *host, cs *Crews[func()]) {
		synctest.Test(t, func(t *testing.T) {
			slow, runs := make(chan struct{}), 0
			cs.launch(func() {})
			synctest.Wait()
			cs.launch(func() { <-slow }) // in the crew that was used before
			for range 10 {
				cs.launch(func() { runs++ })
				synctest.Wait()
			}
			assert.Equal(t, 10, runs)
			assert.Equal(t, int32(1), h.running.Load(), "the slow one")
			close(slow)
			synctest.Wait()
			assert.Zero(t, h.running.Load())
		})
	})
}

// Batches follow each other while crews come, run and leave. Half of them are kept by a goroutine that others follow
// as the one that adds tasks.
func TestBatchesInACrowdRunOnceEach(t *testing.T) {
	const rounds = 20_000
	inBothWays(t, func(t *testing.T, h *host, cs *Crews[func()]) {
		slow := make(chan struct{})
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
			if i%2 == 0 {
				cs.launch(batch...)
				continue
			}
			kept := make(chan struct{})
			h.Enter()
			go func() {
				for _, f := range batch {
					cs.Add(f)
				}
				run := cs.Keep()
				close(kept)
				if run == nil {
					run = h.Leave
				}
				run()
			}()
			<-kept
		}
		close(slow)
		assert.Eventually(t, func() bool { return h.running.Load() == 0 }, 10*time.Second, time.Millisecond)
		assert.Equal(t, want.Load(), runs.Load())
	})
}

func TestSeparateTasksShareNoGoroutine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(host)
		cs := newCrews(h, true)
		for n := range int32(5) {
			for range 10 {
				cs.Add(func() {})
			}
			cs.launch()
			cs.Add(func() { runtime.Goexit() })
			assert.Nil(t, cs.Keep())
			synctest.Wait()
			assert.Equal(t, 11*(n+1), h.entered.Load())
			assert.Zero(t, h.running.Load())
		}
	})
}

func TestKeptBatchRunsOnItsKeeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := new(host)
		cs := newCrews(h, false)
		assert.Nil(t, cs.Keep(), "there is no batch")
		blocked, runs := make(chan struct{}), 0
		for range 3 {
			cs.Add(func() { <-blocked })
			cs.Add(func() { runs++ })
			h.Enter()
			kept := cs.Keep()
			cs.Add(func() { runs++ }) // the next batch is another's
			go kept()
			synctest.Wait()
			assert.Equal(t, 1, runs, "the other task does not wait")
			assert.Equal(t, int32(1), h.running.Load(), "the one that is blocked")
			cs.Launch()
			blocked <- struct{}{}
			synctest.Wait()
			assert.Equal(t, 2, runs)
			assert.Zero(t, h.running.Load())
			runs = 0
		}
	})
}
