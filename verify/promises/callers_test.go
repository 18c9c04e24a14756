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

// An arming, Stop or Sample that yields gives its processor to goroutines that never touch the timer, for 10 ms each.
func TestCallersKeepTheirProcessorsBesideGoroutinesThatCompute(t *testing.T) {
	var over atomic.Bool
	var computing sync.WaitGroup
	defer computing.Wait()
	defer over.Store(true)
	for range 2 * runtime.GOMAXPROCS(0) {
		computing.Go(func() {
			for !over.Load() {
			}
		})
	}
	tm := timertest.New()
	defer timertest.Shutdown(t, tm)
	tm.Every(5*time.Millisecond, func(*hashedwheel.Series) {}) // so that the worker has a turn to wait for
	before := tm.AfterFunc(30*time.Second, timertest.Nop)
	for name, call := range map[string]func(){
		"AfterFunc": func() {
			to := tm.AfterFunc(30*time.Second, timertest.Nop)
			before.Stop()
			before = to
		},
		"Reset":  func() { before.Reset(30 * time.Second) },
		"Sample": func() { tm.Sample(1) },
	} {
		var inside time.Duration
		begun := time.Now()
		for time.Since(begun) < timertest.Lasting(time.Second) {
			called := time.Now()
			call()
			inside += time.Since(called)
			for worked := time.Now(); time.Since(worked) < 20*time.Microsecond; {
			}
		}
		share := float64(inside) / float64(time.Since(begun))
		t.Logf("%s has %.0f%% of the caller's time", name, 100*share)
		assert.Less(t, share, 0.5, name) // at most a few, more if the system interrupts a call; 96 with a yield in each
	}
}
