package promises

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

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
