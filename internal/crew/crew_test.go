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
type host struct{ running atomic.Int32 }

func (h *host) Enter()       { h.running.Add(1) }
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

// What a program sees of crews is tested with the executor, in the root.

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

func TestKeptBatchRunsOnItsKeeper(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h, cs := new(host), new(Crews[func()])
		cs.Init(h)
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
