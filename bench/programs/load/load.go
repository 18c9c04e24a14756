// Package load drives a program at a fixed rate in a separate process, and prints the cost of an operation.
package load

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"runtime/pprof"
	"strings"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/machine"
)

// Figures are the output of a run. Times are in seconds.
type Figures struct {
	Rate           float64 // operations a second
	CPU            float64 // user and system, an operation
	Allocs         float64 // an operation
	P50, P99, P999 float64 // of the latency or lateness for the program's users
	Peak           float64 // resident memory, MB
}

// Run is one run of a load.
type Run struct {
	Native bool          // the program's own port to the wheel, where the load chooses it
	Tick   time.Duration // of the wheel
	Short  bool          // a tenth of everything

	measuring atomic.Bool
	ops       atomic.Int64
	buckets   [64 * 16]atomic.Int64
}

// Main starts a load, lets it warm up, measures it and ends the process.
func Main(start func(r *Run)) {
	r := &Run{}
	flag.BoolVar(&r.Native, "native", false, "use the port")
	flag.BoolVar(&r.Short, "short", false, "a tenth of the load")
	flag.DurationVar(&r.Tick, "tick", 10*time.Millisecond, "the wheel's")
	warm := flag.Duration("warm", 2*time.Second, "time before the measurement")
	measured := flag.Duration("for", 8*time.Second, "time of the measurement")
	profile := flag.String("profile", "", "write a CPU profile to this `file`")
	flag.Parse()

	start(r)
	time.Sleep(*warm)
	if *profile != "" {
		f, err := os.Create(*profile)
		Must(err)
		Must(pprof.StartCPUProfile(f))
		defer func() { pprof.StopCPUProfile(); Must(f.Close()) }()
	}
	begin, cpu, allocs := time.Now(), machine.CPUTime(), mallocs()
	r.measuring.Store(true)
	time.Sleep(*measured)
	r.measuring.Store(false)
	took, ops := time.Since(begin), float64(max(r.ops.Load(), 1))
	Must(json.NewEncoder(os.Stdout).Encode(Figures{
		Rate: ops / took.Seconds(), CPU: (machine.CPUTime() - cpu).Seconds() / ops, Allocs: float64(mallocs()-allocs) / ops,
		P50: r.quantile(0.5), P99: r.quantile(0.99), P999: r.quantile(0.999),
		Peak: peak(),
	}))
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
func (r *Run) Scale(n int) int {
	if r.Short {
		return max(n/10, 1)
	}
	return n
}

// Observe counts an operation, and how late it was, or how long it took, for its user.
func (r *Run) Observe(d time.Duration) {
	if !r.measuring.Load() {
		return
	}
	r.ops.Add(1)
	r.buckets[bucket(d)].Add(1)
}

// bucket divides each power of two into sixteen.
func bucket(d time.Duration) int {
	v := uint64(max(d, 16))
	shift := bits.Len64(v) - 5
	return shift*16 + int(v>>shift)
}

// quantile returns the upper end of the bucket that holds the quantile.
func (r *Run) quantile(q float64) float64 {
	left := int64(float64(r.ops.Load()) * q)
	for i := range r.buckets {
		if left -= r.buckets[i].Load(); left < 0 {
			return float64(uint64(i%16+17)<<max(i/16-1, 0)) / 1e9
		}
	}
	return 0
}

// Pace starts workers that together call op rate times a second. An operation's time counts from the moment when it was
// due if its worker was still busy then, and otherwise from when the worker woke.
func (r *Run) Pace(rate float64, workers int, op func(worker, i int)) {
	period := time.Duration(float64(time.Second) * float64(workers) / rate)
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

// peak returns the peak memory of the process, in MB. Getrusage would include the process that started it.
func peak() float64 {
	if status, err := os.ReadFile("/proc/self/status"); err == nil {
		for line := range strings.Lines(string(status)) {
			var kb float64
			if _, err := fmt.Sscanf(line, "VmHWM: %f kB", &kb); err == nil {
				return kb / 1e3
			}
		}
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.Sys) / 1e6
}

func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// Get2 is Get for two values.
func Get2[T, U any](v T, u U, err error) (T, U) {
	Must(err)
	return v, u
}
