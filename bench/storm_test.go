package bench

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// BenchmarkStorm has goroutines that only arm and stop timeouts of 30 s, for three seconds: a new timeout for each
// call, a timeout that each goroutine keeps, or a new timeout that is stopped 5 ms later, with at most a million in
// flight. One timeout in 1,024 is not stopped and expires after 20 ms.
//
// late is the lateness of a heartbeat of 5 ms on the same timer. peak is the growth of the heap beyond twice the memory
// of the timeouts in flight: the collector lets the heap grow to that.
func BenchmarkStorm(b *testing.B) {
	for _, tick := range []time.Duration{ms, 10 * ms} {
		for _, goroutines := range []int{2, 24, 256} {
			for _, call := range []string{"new", "owned", "5ms"} {
				labels := fmt.Sprintf("call=%s/goroutines=%d/tick=%v", call, goroutines, tick)
				fits := func(k Kind) bool { // other timers only in one storm
					return owners(k) && (isOneOfTwo(k) || call == "new" && goroutines == 24 && tick == 10*ms)
				}
				each(b, labels, fits, func(b *testing.B, k Kind) {
					s := &storm{timer: k.Open(tick).(Owner), goroutines: goroutines}
					s.run(b, tick, s.caller(call))
					s.check(b, k, tick)
					once(b)
				})
			}
		}
	}
}

const stormHeap = 4 << 30 // bytes of heap at which a storm is canceled

type storm struct {
	timer      Owner
	goroutines int
	heap       *heapWatch
	end        time.Time
	fired      tally
	calls      atomic.Int64
	expiring   atomic.Int64 // armed to expire
	denied     atomic.Int64 // Stops that reported false
	flying     gauge        // calls in flight
}

// A stormCall makes the calls of one goroutine. hangUp stops those that are in flight.
type stormCall struct{ call, hangUp func() }

func (s *storm) run(b *testing.B, tick time.Duration, newCall func() stormCall) {
	each := s.bytesOfOne()
	calls := make([]stormCall, s.goroutines)
	for i := range calls {
		calls[i] = newCall()
	}
	settle(tick, 0)
	s.heap = watchHeap(stormHeap)
	beat := startBeats(s.timer, 5*ms)
	start := time.Now()
	s.end = start.Add(span(3 * time.Second))
	var done sync.WaitGroup
	for _, c := range calls {
		done.Go(func() { s.blow(c.call) })
	}
	done.Wait()
	took, late := time.Since(start), beat.end()
	peak := s.heap.end() - 2*float64(s.flying.most.Load())*each/mib
	for _, c := range calls {
		c.hangUp()
	}
	b.ReportMetric(float64(s.calls.Load())/took.Seconds(), "calls/s")
	b.ReportMetric(max(0, peak), "peak-MiB")
	quantiles(b, "late", "ms", late, 50, 99, 100)
}

// check fails b if a timeout was lost, ran twice, or is still pending.
func (s *storm) check(b *testing.B, k Kind, tick time.Duration) {
	if s.heap.over.Load() {
		b.Errorf("canceled: the heap grew beyond %d MiB", int64(stormHeap/mib))
	}
	time.Sleep(2 * tick) // for a task that runs twice
	s.fired.wait(b, k, int(s.expiring.Load()))
	if n := s.denied.Load(); n > 0 {
		b.Errorf("%d Stops reported false", n)
	}
	if w, ok := s.timer.(wheel); ok {
		for range 100 { // the last heartbeat may be pending
			if w.Pending() == 0 {
				return
			}
			time.Sleep(tick)
		}
		b.Errorf("%d timeouts are still pending", w.Pending())
	}
}

// bytesOfOne returns the memory of a pending timeout.
func (s *storm) bytesOfOne() float64 {
	const n = 1000
	var before, after runtime.MemStats
	some := make([]Armed, n)
	runtime.ReadMemStats(&before)
	for i := range some {
		some[i] = s.timer.AfterFunc(deadline, nop)
	}
	runtime.ReadMemStats(&after)
	for _, to := range some {
		to.Stop()
	}
	return float64(after.TotalAlloc-before.TotalAlloc) / n
}

const callsPerLook = 64 // calls between two clock reads

// blow makes the calls of one goroutine.
func (s *storm) blow(call func()) {
	calls := int64(0)
	for ; time.Now().Before(s.end) && !s.heap.over.Load(); calls += callsPerLook {
		if calls%1024 == 0 {
			s.expiring.Add(1)
			s.timer.AfterFunc(20*ms, s.fired.fire)
		}
		for range callsPerLook {
			call()
		}
		s.heap.look()
	}
	s.calls.Add(calls)
}

func (s *storm) stop(to Armed) {
	if !to.Stop() {
		s.denied.Add(1)
	}
}

func (s *storm) caller(name string) func() stormCall {
	switch name {
	case "new":
		return func() stormCall {
			return stormCall{func() { s.stop(s.timer.AfterFunc(deadline, nop)) }, nop}
		}
	case "owned":
		return func() stormCall {
			own := s.timer.New(nop)
			return stormCall{func() {
				own.Reset(deadline)
				s.stop(own)
			}, nop}
		}
	}
	return s.callFlying
}

// callFlying leaves its calls in flight.
func (s *storm) callFlying() stormCall {
	const most = 1 << 20 // of all goroutines together
	f := newFlight(most/s.goroutines, &s.flying, s.stop)
	return stormCall{func() { f.add(s.timer.AfterFunc(deadline, nop)) }, f.landAll}
}
