package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"
)

// BenchmarkSessionsMoved has a million sessions whose idle timeouts were armed for one tick, and have all been moved
// later by the time that tick begins. late is the lateness of 10,000 other timeouts, due evenly within a second around
// that tick.
func BenchmarkSessionsMoved(b *testing.B) {
	n := count(1e6)
	each(b, fmt.Sprintf("moved=%s/tick=%v", short(n), ms), isOneOfTwo, func(b *testing.B, k Kind) {
		t := k.Open(ms).(Owner)
		others, moved := newCrowd(t, count(10_000)), newCrowd(t, n)
		others.start = moved.start
		lead := max(span(10*time.Second), 500*ms)
		others.arm(lead-lead/20, lead/10)
		moved.arm(lead, 1)
		time.Sleep(50 * ms) // until they are filed
		moved.arm(lead+10*time.Minute, 10*time.Minute)
		settle(ms, 0)
		others.sleepUntil(b, lead-lead/20)
		others.fired.wait(b, k, len(others.late))
		if n := moved.fired.fired.Load(); n > 0 {
			b.Errorf("%d ran although they were moved", n)
		}
		runtime.KeepAlive(moved)
		reportEarly(b, k, -slices.Min(others.late))
		quantiles(b, "late", "ms", others.late, 50, 99, 100)
		once(b)
	})
}

// crowd holds timeouts in shuffled memory. Their tasks record how late they run.
type crowd struct {
	start    time.Time
	timeouts []Owned
	due      []time.Duration // since start
	late     []float64       // ms
	fired    tally
}

func newCrowd(t Owner, n int) *crowd {
	c := &crowd{start: time.Now(), timeouts: make([]Owned, n), due: make([]time.Duration, n), late: make([]float64, n)}
	for _, i := range rand.Perm(n) { // in memory they lie in the order of creation
		c.timeouts[i] = t.New(func() {
			c.late[i] = float64(time.Since(c.start)-c.due[i]) / 1e6
			c.fired.fire()
		})
	}
	return c
}

// arm arms the timeouts, in random order, to be due evenly within a window.
func (c *crowd) arm(first, window time.Duration) {
	for _, i := range rand.Perm(len(c.timeouts)) {
		c.due[i] = first + time.Duration(float64(window)*float64(i)/float64(len(c.timeouts)))
		c.timeouts[i].Reset(c.due[i] - time.Since(c.start))
	}
}

// sleepUntil sleeps until a time after start. It fails b if that time has passed.
func (c *crowd) sleepUntil(b *testing.B, moment time.Duration) {
	if time.Since(c.start) > moment {
		b.Error("the machine is too slow: some timeouts were armed after they were due")
	}
	time.Sleep(moment - time.Since(c.start))
}
