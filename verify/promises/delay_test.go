package promises

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

const day = 24 * time.Hour

var shortestTick = hashedwheel.WithTick(100 * time.Microsecond)

func TestAnyDelayCostsTheSameNumberOfWakeups(t *testing.T) {
	for _, tick := range []time.Duration{100 * time.Microsecond, timertest.Tick, time.Second} {
		for _, size := range []int{1, 8, 512, 1 << 16} {
			for _, d := range []time.Duration{10 * timertest.Tick, time.Second, time.Hour, 20 * day, 3000 * day} {
				t.Run(fmt.Sprintf("%v, tick %v, %d buckets", d, tick, size), func(t *testing.T) {
					timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
						tm.AfterFunc(d, timertest.Nop)
						assert.LessOrEqual(t, timertest.Wakeups(tm, d+10*tick), uint64(5))
						assert.Equal(t, uint64(1), tm.Stats().Expired)
					}, hashedwheel.WithTick(tick), hashedwheel.WithWheelSize(size))
				})
			}
		}
	}
}

func TestAnyDelayCostsTheSameIfTheWorkerIsLate(t *testing.T) {
	many := 100_000
	if limits.Deep < 4096 {
		many = 20_000 // with -tags small,invariants the checks of so many take as long as AssertCheap allows
	}
	for _, n := range []int{1, many} {
		t.Run(fmt.Sprintf("%d pending", n), func(t *testing.T) {
			timertest.AssertCheap(t, func() { blockTwice(t, n) })
		})
	}
}

// blockTwice has a task block the worker for 20 days, twice.
func blockTwice(t *testing.T, n int) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var ran atomic.Int64
		for i := range n {
			tm.AfterFunc(time.Duration(i+1)*(40*day/time.Duration(n)), func() { ran.Add(1) })
		}
		last := tm.AfterFunc(41*day, timertest.Nop)
		timertest.Pass(timertest.Tick)
		for _, half := range []int{n / 2, n} {
			tm.AfterFunc(0, func() { time.Sleep(20 * day) })
			wakeups := timertest.Wakeups(tm, 20*day+2*timertest.Tick)
			require.Equal(t, int64(half), ran.Load(), "due timeouts run at once")
			assert.LessOrEqual(t, wakeups, uint64(5))
		}
		assert.True(t, last.Stop())
	}, shortestTick, hashedwheel.WithWheelSize(8), timertest.OnWorker)
}

// wheels have few and many buckets, including sizes that are not a power of two, with the shortest tick and with long
// ones.
var wheels = []struct {
	size int
	tick time.Duration
}{
	{1, timertest.Tick}, {2, timertest.Tick}, {3, timertest.Tick},
	{8, timertest.Tick}, {65, timertest.Tick}, {512, timertest.Tick},
	{512, 100 * time.Microsecond}, {512, 3 * time.Millisecond}, {512, time.Second}, {512, 24 * time.Hour},
}

// Every delay of DelaysAround, in each wheel.
func TestNeverEarlyNorMoreThanATickLateAtAnyDelay(t *testing.T) {
	for _, w := range wheels {
		for _, armedAt := range []time.Duration{0, 1, w.tick / 3, w.tick - 1} {
			t.Run(fmt.Sprintf("%d buckets, armed %v into a tick of %v", w.size, armedAt, w.tick), func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					time.Sleep(5*w.tick + armedAt)
					delays := timertest.DelaysAround(w.size)
					for i, late := range timertest.Lateness(tm, delays) {
						assert.GreaterOrEqual(t, late, time.Duration(0), "a delay of %v", delays[i])
						assert.LessOrEqual(t, late, w.tick, "a delay of %v", delays[i])
					}
				}, hashedwheel.WithWheelSize(w.size), hashedwheel.WithTick(w.tick))
			})
		}
	}
}
