package bench

import (
	"testing"
	"time"
)

// BenchmarkDue arms a timeout every 10 µs and stops it, from 50 ms before the tick in which a million others are due.
// arming is the time from the point at which an arming should have begun: a stall counts for each that it delays.
func BenchmarkDue(b *testing.B) {
	const tick = 10 * ms
	n := count(1e6)
	each(b, "due="+short(n), notDrawn, func(b *testing.B, k Kind) {
		var fired tally
		t := k.Open(tick)
		at := time.Now().Add(time.Second + time.Duration(n)*5*time.Microsecond)
		for i := range n {
			d := time.Until(at)
			t.AfterFunc(d, fired.task(i, d))
		}
		settle(tick, 0)
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
