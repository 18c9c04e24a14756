package crew

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// host runs functions as tasks.
type host struct{ running atomic.Int32 }

func (h *host) Enter()       { h.running.Add(1) }
func (h *host) Leave()       { h.running.Add(-1) }
func (h *host) Run(f func()) { f() }

// The executor's tests, in the root, cover the behavior of crews that a program can see.

// Batches follow each other while crews come, run and leave. Half of them are kept: each of these has a separate
// goroutine, which adds the tasks and runs them.
func TestBatchesInACrowdRunOnceEach(t *testing.T) {
	const rounds = 20_000
	for name, separate := range map[string]bool{"shared": false, "separate": true} {
		t.Run(name, func(t *testing.T) {
			h, cs := new(host), new(Crews[func()])
			cs.Init(h)
			cs.separate = separate // with the race detector or without
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
					for _, f := range batch {
						cs.Add(f)
					}
					cs.Launch()
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
}
