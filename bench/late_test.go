package bench

import (
	"slices"
	"testing"
	"time"
)

// BenchmarkLate measures how late timeouts of 5 to 10 ms run: on an idle machine, and next to bursts.
func BenchmarkLate(b *testing.B) {
	late(b, "nothing", anyKind, func(Timer) (end func()) { return nop })
	late(b, "burst", isOneOfTwo, startBursts)
}

func late(b *testing.B, nextTo string, fits func(Kind) bool, begin func(t Timer) (end func())) {
	each(b, "tick=1ms/next-to="+nextTo, fits, func(b *testing.B, k Kind) {
		t := k.Open(ms)
		settle(ms, 0)
		defer begin(t)()
		var fired tally
		late := make([]float64, count(2000))
		start := time.Now()
		for i := range late { // out of step with the tick
			at := start.Add(time.Duration(i) * 1300 * time.Microsecond)
			time.Sleep(time.Until(at))
			due := at.Add(5*ms + time.Duration(i%7)*777*time.Microsecond) // not from now: a sleep ends with a wake-up
			t.AfterFunc(time.Until(due), func() {
				late[i] = float64(time.Since(due)) / 1e6
				fired.fire()
			})
		}
		fired.wait(b, k, len(late))
		reportEarly(b, k, -slices.Min(late))
		quantiles(b, "late", "ms", late, 50, 99, 99.9)
		once(b)
	})
}

// startBursts has a goroutine arm 150,000 timeouts that it keeps, as when many clients connect at once, and stop them,
// four times a second.
func startBursts(t Timer) (end func()) {
	var own []Owned
	for range count(150_000) {
		own = append(own, t.(Owner).New(nop))
	}
	over, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for tick := time.NewTicker(span(125 * ms)); ; <-tick.C {
			for _, to := range own {
				to.Reset(deadline)
			}
			<-tick.C
			for _, to := range own {
				to.Stop()
			}
			select {
			case <-over:
				return
			default:
			}
		}
	}()
	return func() { close(over); <-ended }
}
