package promises

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
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
		many = 20_000 // with -tags small,invariants the checks of so many take as long as is allowed
	}
	for _, n := range []int{1, many} {
		t.Run(fmt.Sprintf("%d pending", n), func(t *testing.T) {
			before := timertest.CPUTime()
			blockTwice(t, n)
			assert.Less(t, timertest.CPUTime()-before, 5*time.Second, "40 days are 35 billion ticks")
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

var wheelSizes = []int{1, 2, 64, 512}

// crowd is many timeouts with one task, which notes the largest lateness.
type crowd struct {
	timeouts []hashedwheel.Timeout
	runs     int
	latest   time.Duration
	earliest time.Duration
}

func newCrowd(tm *hashedwheel.Timer, n int) *crowd {
	c := &crowd{timeouts: make([]hashedwheel.Timeout, n)}
	for i := range c.timeouts {
		c.timeouts[i].Init(tm, c)
	}
	return c
}

func (c *crowd) Run(to *hashedwheel.Timeout) {
	late := time.Since(to.Deadline())
	c.runs++
	c.latest, c.earliest = max(c.latest, late), min(c.earliest, late)
}

func (c *crowd) assertInTime(t *testing.T) {
	t.Helper()
	assert.Equal(t, len(c.timeouts), c.runs)
	assert.LessOrEqual(t, c.latest, timertest.Tick, "late")
	assert.GreaterOrEqual(t, c.earliest, time.Duration(0), "early")
}

const aCrowd = min(100_000, 500*limits.Crowd) // with -tags small a few thousand are many crowds

// A crowd is opened ahead of its time, and the opening ends: a worker that visited it again and again would stop the
// bubble's time.
func TestCrowdsAreOnTime(t *testing.T) {
	for _, size := range wheelSizes {
		for _, ahead := range []time.Duration{0, 20 * time.Second, time.Hour} {
			t.Run(fmt.Sprintf("%d buckets, %v ahead", size, ahead), func(t *testing.T) {
				timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					c := newCrowd(tm, aCrowd)
					for i := range c.timeouts {
						c.timeouts[i].Reset(ahead + time.Duration(i)*(time.Second/aCrowd))
					}
					wakeups := timertest.Wakeups(tm, ahead+time.Second+2*timertest.Tick)
					c.assertInTime(t)
					assert.LessOrEqual(t, wakeups, uint64(2*time.Second/timertest.Tick))
				}, timertest.OnWorker, hashedwheel.WithWheelSize(size))
			})
		}
	}
}

// Idle timeouts that were all armed at once, and moved since, are such crowds.
func TestCrowdsOfOneTickThatAreMovedLater(t *testing.T) {
	for _, size := range wheelSizes {
		t.Run(fmt.Sprintf("%d buckets", size), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				c := newCrowd(tm, aCrowd/2)
				for range 3 {
					for i := range c.timeouts {
						c.timeouts[i].Reset(10 * time.Second)
					}
					timertest.Pass(9*time.Second + timertest.Tick/3)
				}
				assert.Zero(t, c.runs, "each was moved in time")
				beside := newCrowd(tm, 100)
				for i := range beside.timeouts {
					beside.timeouts[i].Reset(time.Second + time.Duration(i-50)*timertest.Tick/7)
				}
				timertest.Pass(time.Minute)
				c.assertInTime(t)
				beside.assertInTime(t)
			}, timertest.OnWorker, hashedwheel.WithWheelSize(size))
		})
	}
}

// On Linux a process that does nothing else is on time, by the descriptor that ends the runtime's wait: without it,
// Linux adds a thousandth of the wait to the first, and the runtime half a millisecond on average to the second. Other
// programs may keep the processors busy, so the best of a few rounds counts.
func TestPunctualInAnIdleProcess(t *testing.T) {
	if runtime.GOOS != "linux" || testing.Short() || timertest.Race {
		t.Skip("measures real time")
	}
	for name, c := range map[string]struct {
		n              int
		least, longest time.Duration
		late           time.Duration // the most at the median
	}{
		"one timeout of five seconds":    {1, 5 * time.Second, 5 * time.Second, time.Millisecond},
		"two hundred within two seconds": {200, 0, 2 * time.Second, 300 * time.Microsecond},
	} {
		t.Run(name, func(t *testing.T) {
			if !timertest.InOwnProcess(t) {
				return
			}
			tm := hashedwheel.MustNew()
			defer tm.StopAll()
			best := time.Hour
			for round := 0; round < 5 && best > c.late; round++ {
				delays := make([]time.Duration, c.n)
				for i := range delays {
					delays[i] = c.least + rand.N(c.longest-c.least+1)
				}
				late := timertest.Lateness(tm, delays)
				slices.Sort(late)
				t.Logf("late p50 %v, at most %v", late[c.n/2], late[c.n-1])
				best = min(best, late[c.n/2])
			}
			assert.LessOrEqual(t, best, c.late)
		})
	}
}
