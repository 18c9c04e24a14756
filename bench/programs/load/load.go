// Package load drives a program at a fixed rate and reports what an operation costs.
package load

import (
	"flag"
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/programs/wheel"
)

var measured = flag.Duration("for", 8*time.Second, "`duration` of the measurement")

// A Run counts operations while the benchmark measures.
type Run struct {
	measuring atomic.Bool
	buckets   [64 * 16]atomic.Int64
}

// Bench starts a load, lets it warm up and measures it. The load goes on until the process ends.
func Bench(b *testing.B, program string, start func(r *Run)) {
	timer, warm := "std", 2*time.Second
	if wheel.Tick > 0 {
		timer = "hashedwheel-" + wheel.Tick.String()
	}
	if testing.Short() {
		warm = time.Second
	}
	b.Run("program="+program+"/timer="+timer, func(b *testing.B) {
		var r Run
		start(&r)
		time.Sleep(warm)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		cpu := cpuTime()
		begin := time.Now()
		r.measuring.Store(true)
		time.Sleep(*measured)
		r.measuring.Store(false)
		took := time.Since(begin)
		cpu = cpuTime() - cpu
		runtime.ReadMemStats(&after)
		ops := r.ops()
		switch {
		case ops == 0:
			b.Fatal("no operation has ended")
		case wheel.Tick > 0 && !wheel.Used():
			b.Fatal("the program has not used the wheel")
		}
		b.ReportAllocs()
		b.ReportMetric(0, "ns/op") // the time is fixed
		b.ReportMetric(float64(cpu)/ops, "cpu-ns/op")
		b.ReportMetric(r.quantile(0.5), "p50-ns")
		b.ReportMetric(r.quantile(0.99), "p99-ns")
		b.ReportMetric(ops/took.Seconds(), "ops/s")
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/ops, "B/op")
		b.ReportMetric(float64(after.Mallocs-before.Mallocs)/ops, "allocs/op")
		if mib := peak(); mib > 0 {
			b.ReportMetric(mib, "peak-MiB")
		}
	})
}

// Must ends the process if err is not nil.
func Must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// Get ends the process if err is not nil, and returns v otherwise.
func Get[T any](v T, err error) T {
	Must(err)
	return v
}

// Scale returns n, or a tenth of it in a short run.
func Scale(n int) int {
	if testing.Short() {
		return max(n/10, 1)
	}
	return n
}

// Observe counts an operation, and how late it was, or how long it took, for its user.
func (r *Run) Observe(d time.Duration) {
	if r.measuring.Load() {
		r.buckets[bucket(d)].Add(1)
	}
}

// bucket divides each power of two into sixteen.
func bucket(d time.Duration) int {
	v := uint64(max(d, 16))
	shift := bits.Len64(v) - 5
	return shift*16 + int(v>>shift)
}

// ops returns how many operations were observed.
func (r *Run) ops() (n float64) {
	for i := range r.buckets {
		n += float64(r.buckets[i].Load())
	}
	return n
}

// quantile returns the upper end, in ns, of the bucket that holds the quantile.
func (r *Run) quantile(q float64) float64 {
	left := int64(r.ops() * q)
	for i := range r.buckets {
		if left -= r.buckets[i].Load(); left < 0 {
			return float64(uint64(i%16+17) << max(i/16-1, 0))
		}
	}
	return 0
}

// Pace starts workers that together call op rate times a second. An operation's time counts from the moment when it was
// due if its worker was still busy then, and otherwise from when the worker woke.
func (r *Run) Pace(rate, workers int, op func(worker, i int)) {
	period := time.Second * time.Duration(workers) / time.Duration(rate)
	for w := range workers {
		go func() {
			due := time.Now().Add(period * time.Duration(w) / time.Duration(workers))
			for i := 0; ; i++ {
				from := due
				if wait := time.Until(due); wait > 0 {
					time.Sleep(wait)
					from = time.Now()
				}
				op(w, i)
				r.Observe(time.Since(from))
				due = due.Add(period)
			}
		}()
	}
}

// cpuTime returns the user and system time of the process.
func cpuTime() time.Duration {
	var u syscall.Rusage
	Must(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// peak returns the peak memory of the process in MiB, or 0 if the system does not show it. Getrusage would include the
// process that started it.
func peak() float64 {
	status, _ := os.ReadFile("/proc/self/status") // Linux has it
	for line := range strings.Lines(string(status)) {
		var kib float64
		if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &kib); err == nil {
			return kib / 1024
		}
	}
	return 0
}
