package bench

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// BenchmarkMoveLater moves a random one of a million idle timeouts to three hours from now, as every read of a
// connection does. Each goroutine has its own connections. A timeout is reached through a slice of interfaces: that is
// two cache misses for every timer, where a timeout that is a field of its connection costs one. Work that a timer
// postpones until the old deadline does not count.
func BenchmarkMoveLater(b *testing.B) {
	n := count(1e6)
	parallel(b, "pending="+short(n), owners, func(k Kind) func(pb *testing.PB) {
		all := ownFar(k.Open(ms).(Owner), n, nop)
		var goroutines atomic.Int64
		return func(pb *testing.PB) {
			i, of := int(goroutines.Add(1)), runtime.GOMAXPROCS(0)
			mine, random := all[i%of*n/of:][:max(1, n/of)], rand.New(rand.NewPCG(1, 2))
			for pb.Next() {
				mine[random.IntN(len(mine))].Reset(3 * time.Hour)
			}
		}
	})
}

// BenchmarkMoveEarlier moves all of 160,000 idle timeouts to a second or two from now, as at a shutdown, and lets them
// expire. cpu-ns is the CPU time of a move, including the filing in the timer, but not the expiry.
func BenchmarkMoveEarlier(b *testing.B) {
	const (
		filed = 300 * ms // after the last move; all are filed by then
	)
	n := count(160_000)
	each(b, "pending="+short(n), owners, func(b *testing.B, k Kind) {
		var fired tally
		all := ownFar(k.Open(ms).(Owner), n, fired.fire)
		soon := time.Second + time.Duration(n)*6*time.Microsecond
		cpu, start := timertest.CPUTime(), time.Now()
		for _, own := range all {
			own.Reset(soon)
		}
		wall := time.Since(start)
		time.Sleep(filed)
		cpu = timertest.CPUTime() - cpu
		fired.wait(b, k, n)
		last := time.Since(start) - soon
		b.ReportMetric(float64(wall)/float64(n), "ns/move")
		b.ReportMetric(float64(cpu)/float64(n), "cpu-ns/move")
		b.ReportMetric(float64(last)/1e6, "late-max-ms")
		once(b)
	})
}

// ownFar returns n owned timeouts that are far from due.
func ownFar(t Owner, n int, f func()) []Owned {
	all := make([]Owned, n)
	for i := range all {
		all[i] = t.New(f)
		all[i].Reset(far(i))
	}
	settle(ms, n)
	return all
}
