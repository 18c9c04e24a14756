package promises

import (
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// newBacklog returns timeouts that lie pages apart, so that producers find no part of the queue deep, and leave them to
// the worker. With -tags small there are more than the worker files in one drain.
func newBacklog() []paged { return make([]paged, min(timertest.Backlog, 2*limits.Drain)) }

type paged struct {
	hashedwheel.Timeout
	_ [8 << 10]byte
}

// The worker is blocked until a timeout is due, while others arm a backlog with earlier deadlines. The timeout runs
// after at most one limit's worth of the backlog.
func TestBoundedWorkBeforeDueTimeouts(t *testing.T) {
	timertest.LeaveFilingToTheWorker(t)
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var order []string
		tm.AfterFunc(10*timertest.Tick, func() { order = append(order, "due") })
		tm.AfterFunc(5*timertest.Tick, func() { time.Sleep(5 * timertest.Tick) })
		time.Sleep(5*timertest.Tick + timertest.Tick/2)
		backlog := newBacklog()
		for i := range backlog {
			backlog[i].InitFunc(tm, func() { order = append(order, "backlog") })
			backlog[i].Reset(0)
		}
		timertest.Pass(10 * timertest.Tick)
		require.Len(t, order, len(backlog)+1)
		assert.Less(t, slices.Index(order, "due"), limits.Drain+limits.Portion)
	}, timertest.OnWorker)
}

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
	tm.Every(5*time.Millisecond, func(*hashedwheel.Series) {}) // so that the worker has to wait for its turn
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
			for worked := time.Now(); time.Since(worked) < 200*time.Microsecond; {
			}
		}
		share := float64(inside) / float64(time.Since(begun))
		t.Logf("%s has %.0f%% of the caller's time", name, 100*share)
		assert.Less(t, share, 0.5, name) // at most a few, more if the system interrupts a call; 99 with a yield in each
	}
}

// A timeout that is armed for now or earlier in its own task runs once a tick, not at once: even if Pending files it
// while its tick is being dispatched, or if the task ends the goroutine and the next worker continues the pass.
func TestBoundedWorkOfATaskThatArmsItselfAtOnce(t *testing.T) {
	for name, end := range map[string]func(tm *hashedwheel.Timer){
		"returns":       func(*hashedwheel.Timer) {},
		"calls Pending": func(tm *hashedwheel.Timer) { tm.Pending() },
		"calls Goexit":  func(*hashedwheel.Timer) { runtime.Goexit() },
	} {
		for _, n := range []int{1, limits.Batch, 10 * limits.Batch} {
			for _, d := range []time.Duration{0, -1, -time.Hour} {
				t.Run(fmt.Sprintf("%d that %s, by %v", n, name, d), func(t *testing.T) {
					timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
						const ticks = 10
						runs := 0
						for range n {
							timertest.Owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
								if runs++; runs < 10*n*ticks { // a mistake must not go on forever
									to.Reset(d)
								}
								end(tm)
							})).Reset(d)
						}
						var other timertest.RunLog
						start := time.Now()
						timertest.Owned(tm, &other).Reset(5 * timertest.Tick)
						timertest.Pass(ticks * timertest.Tick)
						assert.LessOrEqual(t, runs, (1+ticks+10)*n, "each once a tick, and a burst of ten")
						assert.GreaterOrEqual(t, runs, ticks*n)
						require.Len(t, other.Times(), 1, "the others are not starved")
						assert.LessOrEqual(t, other.Times()[0].Sub(start), 6*timertest.Tick)
					}, timertest.OnWorker)
				})
			}
		}
	}
}

// Timeouts of several ticks are queued together, so some of them wait behind others that are due later. A plain cap on
// the armings that a tick files would take many ticks for these, and forever if they kept coming.
func TestAtMostOneTickLateBehindABacklog(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 20 {
			delays := make([]time.Duration, timertest.Backlog)
			for i := range delays {
				delays[i] = time.Duration(i%8+1) * timertest.Tick / 4
			}
			for i, late := range timertest.Lateness(tm, delays) {
				require.LessOrEqual(t, late, timertest.Tick, "a delay of %v", delays[i])
			}
		}
	}, timertest.OnWorker)
}
