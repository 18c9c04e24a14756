package bench

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// BenchmarkDue arms a timeout every 10 µs and stops it, from 50 ms before the tick in which a million others are due.
// arming is the time from the moment at which an arming should have begun: a stall counts for every arming that it
// delays.
func BenchmarkDue(b *testing.B) {
	n := count(1e6)
	each(b, "due="+short(n), anyKind, func(b *testing.B, k Kind) {
		var fired tally
		t := k.Open(ms)
		at := time.Now().Add(time.Second + time.Duration(n)*5*time.Microsecond)
		for i := range n {
			d := time.Until(at)
			t.AfterFunc(d, fired.task(i, d))
		}
		settle(ms, 0)
		if time.Until(at) < 50*ms {
			b.Error("the machine is too slow: the others were due before all were armed")
		}
		time.Sleep(time.Until(at) - 50*ms)
		took := paced(10*time.Microsecond, span(3*time.Second), func() { t.AfterFunc(deadline, nop).Stop() })
		fired.wait(b, k, n)
		quantiles(b, "arming", "ns", took, 50, 99, 99.9, 100)
		once(b)
	})
}

// BenchmarkDueLate measures how late timeouts run whose deadlines are 1 µs apart. They are kept and armed again, in
// shuffled memory, and the first is due 1.5 s after the first was armed. worst is the lateness of the latest.
func BenchmarkDueLate(b *testing.B) {
	const first = 1500 * ms
	fits := func(k Kind) bool { return owners(k) && !k.Early }
	for _, n := range []int{count(500_000), count(1e6)} {
		each(b, "due="+short(n)+"/tick=1ms", fits, func(b *testing.B, k Kind) {
			c := newCrowd(k.Open(ms).(Owner), n)
			settle(ms, 0)
			c.start = time.Now()
			c.arm(first, time.Duration(n)*time.Microsecond)
			c.sleepUntil(b, first-20*ms)
			c.fired.wait(b, k, n)
			reportEarly(b, k, -slices.Min(c.late))
			b.ReportMetric(slices.Max(c.late), "worst-ms")
			quantiles(b, "late", "ms", c.late, 50, 99)
			once(b)
		})
	}
}

// paced calls f at every point of a grid, and returns how many ns after its point each call returned. A call whose
// point has passed follows at once: the grid does not wait.
func paced(every, d time.Duration, f func()) (took []float64) {
	took = make([]float64, 0, d/every)
	start := time.Now()
	for at := time.Duration(0); at < d; at += every {
		for time.Since(start) < at {
		}
		f()
		took = append(took, float64(time.Since(start)-at))
	}
	return took
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
