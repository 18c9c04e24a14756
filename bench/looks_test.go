package bench

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// BenchmarkPending arms a million timeouts, and calls Pending after every thousand, which it files. ns/timeout is the
// duration of those calls, divided by the number of timeouts. ns/call is the duration of a call that files nothing.
func BenchmarkPending(b *testing.B) {
	eachOrder(b, "tick=1ms", func(b *testing.B, t wheel, idle []*hashedwheel.Timeout) {
		const calls = 1000
		var filing time.Duration
		for i, to := range idle {
			to.Reset(rising(i, len(idle)))
			if (i+1)%1000 == 0 || i+1 == len(idle) {
				filing += timed(func() { t.Pending() })
			}
		}
		settle(ms, len(idle))
		alone := timed(func() {
			for range calls {
				t.Pending()
			}
		})
		checkPending(b, t.Pending(), len(idle))
		b.ReportMetric(float64(filing)/float64(len(idle)), "ns/timeout")
		b.ReportMetric(float64(alone)/calls, "ns/call")
		once(b)
	})
}

// BenchmarkSample samples a million pending timeouts: one of them, or as many as package inspect does.
func BenchmarkSample(b *testing.B) {
	for _, of := range []int{1, 1 << 14} {
		eachOrder(b, "of="+short(of)+"/tick=1ms", func(b *testing.B, t wheel, idle []*hashedwheel.Timeout) {
			armRising(idle)
			for b.Loop() {
				checkPending(b, len(t.Sample(of)), min(of, len(idle)))
			}
		})
	}
}

// BenchmarkStopAll measures a Timer.StopAll that returns a million pending timeouts.
func BenchmarkStopAll(b *testing.B) {
	eachOrder(b, "tick=1ms", func(b *testing.B, t wheel, idle []*hashedwheel.Timeout) {
		armRising(idle)
		var left int
		took := timed(func() { left = len(t.StopAll()) })
		checkPending(b, left, len(idle))
		b.ReportMetric(float64(took)/float64(len(idle)), "ns/timeout")
		once(b)
	})
}

// eachOrder runs f with a million timeouts that f arms: in the order in which they lie in memory, or shuffled.
func eachOrder(b *testing.B, labels string, f func(b *testing.B, t wheel, idle []*hashedwheel.Timeout)) {
	n := count(1e6)
	for _, order := range []string{"memory", "shuffled"} {
		each(b, "pending="+short(n)+"/order="+order+"/"+labels, isWheel, func(b *testing.B, k Kind) {
			t := k.Open(ms).(wheel)
			memory, idle := make([]hashedwheel.Timeout, n), make([]*hashedwheel.Timeout, n)
			for i := range idle {
				idle[i] = &memory[i]
				idle[i].InitFunc(t.Timer, nop)
			}
			if order == "shuffled" {
				rand.Shuffle(n, func(i, j int) { idle[i], idle[j] = idle[j], idle[i] })
			}
			settle(ms, 0)
			f(b, t, idle)
		})
	}
}

// armRising arms timeouts that are due one after another, and waits until they are filed.
func armRising(idle []*hashedwheel.Timeout) {
	for i, to := range idle {
		to.Reset(rising(i, len(idle)))
	}
	settle(ms, len(idle))
}

// rising returns the i-th of n delays between one and two hours.
func rising(i, n int) time.Duration { return time.Hour + time.Hour/time.Duration(n)*time.Duration(i) }

func timed(f func()) time.Duration {
	start := time.Now()
	f()
	return time.Since(start)
}

func checkPending(b *testing.B, got, want int) {
	if got != want {
		b.Errorf("%d timeouts, of %d", got, want)
	}
}
