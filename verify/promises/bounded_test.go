package promises

import (
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// newBacklog returns timeouts that lie pages apart, so that producers find no part of the queue deep and leave
// them to the worker. With -tags small they are more than it files in one drain.
func newBacklog() []paged { return make([]paged, min(timertest.Backlog, 2*limits.Drain)) }

type paged struct {
	hashedwheel.Timeout
	_ [8 << 10]byte
}

// The worker is blocked until a timeout is due, while others arm a backlog with earlier deadlines.
// The timeout runs after no more of the backlog than one limit.
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

// A plain cap on the armings that a tick files would take many ticks for these,
// and forever if they kept coming.
func TestBoundedWorkGoesOnInTheTimeThatIsLeft(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const rounds = 20
		for range rounds {
			due, late := time.Now().Add(3*timertest.Tick), 0
			for range timertest.Backlog {
				tm.AfterFunc(3*timertest.Tick, func() {
					if time.Since(due) > timertest.Tick {
						late++
					}
				})
			}
			time.Sleep(5 * timertest.Tick)
			timertest.Pass(0)
			require.Zero(t, late)
		}
		assert.Equal(t, uint64(rounds*timertest.Backlog), tm.Stats().Expired)
	}, timertest.OnWorker)
}

// The worker looks at the clock at least once for every portion of a backlog.
func TestBoundedWorkBetweenTwoLooksAtTheClock(t *testing.T) {
	clock := new(sleepLog)
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range timertest.Backlog {
			tm.AfterFunc(time.Hour, timertest.Nop)
		}
		before := clock.reads.Load()
		timertest.Pass(timertest.Tick)
		assert.GreaterOrEqual(t, clock.reads.Load()-before, int64(timertest.Backlog/limits.Drain))
		timertest.Pass(timertest.Tick)
		assert.LessOrEqual(t, clock.sleeps.Load(), int64(4), "it has not taken a tick for each")
	}, hashedwheel.WithClock(clock))
}

func TestBoundedWorkOfCancellations(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 1000 {
			tm.AfterFunc(time.Hour, timertest.Nop).Stop()
		}
		filed := make([]*hashedwheel.Timeout, 1000)
		for i := range filed {
			filed[i] = tm.AfterFunc(time.Hour, timertest.Nop)
		}
		timertest.Pass(timertest.Tick)
		for _, to := range filed {
			to.Stop()
		}
		timertest.Pass(2 * timertest.Tick)
		assert.Zero(t, timertest.LibraryGoroutines(), "all is drained, and the worker has ended")
		assert.Equal(t, uint64(2000), tm.Stats().Canceled)
	})
}

// A zero delay that is armed in its own task means once a tick, not at once.
func TestBoundedWorkOfATaskThatArmsItselfAtOnce(t *testing.T) {
	for _, d := range []time.Duration{0, -1, -time.Hour} {
		t.Run(d.String(), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				runs := 0
				to := timertest.Owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
					runs++
					to.Reset(d)
				}))
				to.Reset(d)
				var other timertest.RunLog
				start := time.Now()
				timertest.Owned(tm, &other).Reset(50 * timertest.Tick)
				timertest.Pass(100 * timertest.Tick)
				assert.Equal(t, 100, runs, "once a tick")
				require.Len(t, other.Times(), 1, "the others are not starved")
				assert.LessOrEqual(t, other.Times()[0].Sub(start), 51*timertest.Tick)
				to.Stop()
			}, timertest.OnWorker)
		})
	}
}

// Even if Pending files it while its tick is being handed out.
func TestBoundedWorkOfTasksThatArmThemselvesAndCallPending(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const n, ticks = 300, 10
		runs := 0
		for range n {
			timertest.Owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
				if runs++; runs < 10*n*ticks { // otherwise it would go on forever
					to.Reset(0)
				}
				tm.Pending()
			})).Reset(0)
		}
		timertest.Pass(ticks * timertest.Tick)
		assert.Equal(t, n*ticks, runs, "each once a tick")
	}, timertest.OnWorker)
}

// After a stall each task that was due has its turn, and each series goes on
// from now: no burst makes up for the ticks that were missed.
func TestBoundedWorkAfterAStall(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var log timertest.RunLog
		to := timertest.Owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
			log.Run(to)
			to.Reset(2 * timertest.Tick)
		}))
		to.Reset(2 * timertest.Tick)
		tm.AfterFunc(10*timertest.Tick+1, func() { time.Sleep(time.Second + timertest.Tick/2) })
		timertest.Pass(2 * time.Second)
		to.Stop()
		times := log.Times()
		for i := 1; i < len(times); i++ {
			require.GreaterOrEqual(t, times[i].Sub(times[i-1]), 2*timertest.Tick)
		}
	}, timertest.OnWorker)
}

// A task that ends its goroutine cuts the pass of its tick, which the next worker goes on with.
func TestBoundedWorkOfTasksThatArmThemselvesAndEndTheirGoroutine(t *testing.T) {
	for _, n := range []int{1, limits.Batch, 10 * limits.Batch} {
		timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
			runs := 0
			for range n {
				timertest.Owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
					if runs++; runs < 100*n { // a mistake must not go on forever
						to.Reset(0)
					}
					runtime.Goexit()
				})).Reset(0)
			}
			timertest.Pass(10 * timertest.Tick)
			assert.Equal(t, 10*n, runs, "once a tick, with %d", n)
		}, timertest.OnWorker)
	}
}
