// Package bench measures timers. Each of its test files has one load.
package bench

import (
	"context"
	"flag"
	"fmt"
	"math"
	"math/bits"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aclements/go-moremath/stats"
	"golang.org/x/perf/benchfmt"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

var (
	timers = new(regexp.Regexp)
	scale  = flag.Float64("scale", 1, "`factor` for the sizes and times of the loads")
	limit  = flag.Duration("limit", 3*time.Minute, "`time` after which a process counts as hung")
	here   = flag.Bool("here", false, "run the benchmarks in this process, as for a profile")
)

func TestMain(m *testing.M) {
	flag.TextVar(timers, "timers", regexp.MustCompile("^(std|hashedwheel)$"), "`regexp` of the timers that take part; "+
		". for all")
	ownFlags()
	flag.Parse()
	isBenchmark := flag.Lookup("test.bench").Value.String() != ""
	if run := flag.Lookup("test.run").Value; isBenchmark && run.String() == "" {
		_ = run.Set("^$") // benchmarks need not wait for the tests
	}
	os.Exit(m.Run())
}

// each runs f as the benchmark "labels/timer=NAME" for every timer that fits, each in a separate process: a million
// timeouts that one timer leaves pending, or the goroutines that it leaves, slow down no other.
func each(b *testing.B, labels string, fits func(Kind) bool, f func(b *testing.B, k Kind)) {
	for _, k := range kinds {
		if !timers.MatchString(k.Name) || !fits(k) {
			continue
		}
		name := strings.TrimPrefix(labels+"/timer="+k.Name, "/")
		useFirstProcessors()
		if *here {
			b.Run(name, func(b *testing.B) { f(b, k) })
			continue
		}
		var r *benchfmt.Result
		b.Run(name, func(b *testing.B) {
			if b.N == 1 { // package testing runs one iteration first, and then more if that was short
				r = inProcess(b)
			}
			if _, ok := r.Value("allocs/op"); ok {
				b.ReportAllocs()
			}
			for _, v := range r.Values {
				if v.OrigUnit != "" {
					v.Value, v.Unit = v.OrigValue, v.OrigUnit
				}
				b.ReportMetric(v.Value, v.Unit)
			}
			if _, isLoop := r.Value("sec/op"); !isLoop {
				b.ReportMetric(0, "ns/op")
			}
			//lint:ignore SA3001 the iterations were those of the other process
			b.N = r.Iters
		})
	}
}

// useFirstProcessors sets GOMAXPROCS to the first number of -test.cpu. Package testing does that only after the first
// run of a benchmark. But that run starts the other process, and most loads run only once.
func useFirstProcessors() {
	first, _, _ := strings.Cut(flag.Lookup("test.cpu").Value.String(), ",")
	if n, err := strconv.Atoi(first); err == nil {
		runtime.GOMAXPROCS(n)
	}
}

// inProcess runs the benchmark b in another process of this program, and returns its result.
func inProcess(b *testing.B) *benchfmt.Result {
	args := []string{
		"-test.run=^$", "-test.bench=^" + strings.ReplaceAll(b.Name(), "/", "$/^") + "$",
		fmt.Sprint("-test.cpu=", runtime.GOMAXPROCS(0)),
	}
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			args = append(args, "-"+f.Name+"="+f.Value.String())
		}
	})
	args = append(args, "-here")
	for _, name := range []string{"test.benchtime", "test.benchmem"} {
		args = append(args, "-"+name+"="+flag.Lookup(name).Value.String())
	}
	ctx, cancel := context.WithTimeout(context.Background(), *limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], args...)
	cmd.WaitDelay = time.Second
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		b.Fatalf("not done in %v", *limit)
	}
	if err != nil {
		b.Fatalf("%v: %s", err, reason(out))
	}
	for lines := benchfmt.NewReader(strings.NewReader(string(out)), b.Name()); lines.Scan(); {
		if r, ok := lines.Result().(*benchfmt.Result); ok {
			return r.Clone()
		}
	}
	b.Fatalf("no result:\n%s", out)
	return nil
}

// reason returns the line of a process's output that says why it failed.
func reason(out []byte) string {
	line := regexp.MustCompile(`(?m)^(panic: .*|fatal error: .*|\s+\w+_test\.go:\d+: .*)$`).Find(out)
	if line == nil {
		return string(out)
	}
	return strings.TrimSpace(string(line))
}

// anyKind is for loads that all timers run.
func anyKind(Kind) bool { return true }

// owners is for loads that arm their timeouts again.
func owners(k Kind) bool { return k.Owns }

// isOneOfTwo is for loads that compare this library with the time package alone.
func isOneOfTwo(k Kind) bool { return k.Name == two[0].Name || k.Name == two[1].Name }

// parallel times a loop on all processors. Package testing runs the loop several times, with more and more iterations,
// but setup runs once.
func parallel(b *testing.B, labels string, fits func(Kind) bool, setup func(k Kind) func(pb *testing.PB)) {
	loops := map[string]func(pb *testing.PB){}
	each(b, labels, fits, func(b *testing.B, k Kind) {
		if loops[k.Name] == nil {
			loops[k.Name] = setup(k)
		}
		b.ReportAllocs()
		b.ResetTimer()
		cpu := timertest.CPUTime()
		b.RunParallel(loops[k.Name])
		b.ReportMetric(float64(timertest.CPUTime()-cpu)/float64(b.N), "cpu-ns/op")
	})
}

// once ends a load that is not a loop of operations. It removes ns/op from the result, and sleeps for the rest of
// -test.benchtime, so that package testing does not run the load again.
func once(b *testing.B) {
	b.ReportMetric(0, "ns/op")
	if d, err := time.ParseDuration(flag.Lookup("test.benchtime").Value.String()); err == nil {
		time.Sleep(d - b.Elapsed())
	}
}

// quantiles sorts values, and reports metrics such as late-p99-ms.
func quantiles(b *testing.B, what, unit string, values []float64, percents ...float64) {
	s := stats.Sample{Xs: values}
	s.Sort()
	for _, p := range percents {
		name := fmt.Sprintf("%s-p%v-%s", what, p, unit)
		if p == 100 {
			name = fmt.Sprintf("%s-max-%s", what, unit)
		}
		b.ReportMetric(s.Quantile(p/100), name)
	}
}

// count scales a number of timeouts.
func count(full int) int {
	factor := *scale
	return max(5, int(math.Round(float64(full)*factor)))
}

// span scales the time of a load.
func span(full time.Duration) time.Duration {
	factor := *scale
	return max(20*ms, time.Duration(float64(full)*factor))
}

const ms = time.Millisecond

// short formats a size: 1M.
func short(n int) string {
	switch {
	case n >= 1e6 && n%1e6 == 0:
		return fmt.Sprintf("%dM", n/1e6)
	case n >= 1e3 && n%1e3 == 0:
		return fmt.Sprintf("%dk", n/1e3)
	}
	return fmt.Sprint(n)
}

// far returns the i-th delay of timeouts that are due evenly between one and two hours from now, in no order.
// isWheel is for calls that only this library has.
func isWheel(k Kind) bool { return k.Name == two[1].Name }

func far(i int) time.Duration {
	const golden = 0x9E3779B97F4A7C15 // Weyl's sequence
	part, _ := bits.Mul64(uint64(i)*golden, uint64(time.Hour))
	return time.Hour + time.Duration(part)
}

// settle waits until a timer has filed n timeouts, and collects garbage.
func settle(tick time.Duration, n int) {
	time.Sleep(5*tick/2 + time.Duration(n)*100)
	runtime.GC()
	runtime.GC()
}

// fill arms n far timeouts.
func fill(t Timer, tick time.Duration, n int) {
	for i := range n {
		t.AfterFunc(far(i), nop)
	}
	settle(tick, n)
}

// tally counts the tasks that have run, and notes how early the earliest of the checked tasks ran.
type tally struct {
	fired    atomic.Int64
	mu       sync.Mutex
	earliest time.Duration // guarded by mu
}

func (t *tally) fire() { t.fired.Add(1) }

// due returns a checked task that is due d from now.
func (t *tally) due(d time.Duration) func() {
	due := time.Now().Add(d)
	return func() {
		early := time.Until(due)
		t.mu.Lock()
		t.earliest = max(t.earliest, early)
		t.mu.Unlock()
		t.fired.Add(1)
	}
}

// task returns the i-th task, which is due d from now. One task in checkEvery is checked.
func (t *tally) task(i int, d time.Duration) func() {
	const checkEvery = 64
	if i%checkEvery == 0 {
		return t.due(d)
	}
	return t.fire
}

// wait waits until want tasks have run. It fails b if fewer or more run, or if a task runs early and the timer is not
// known to fire early.
func (t *tally) wait(b *testing.B, k Kind, want int) {
	t.await(want)
	if n := t.fired.Load(); n != int64(want) {
		b.Errorf("%d tasks ran, of %d", n, want)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	reportEarly(b, k, float64(t.earliest)/1e6)
}

// await returns once want tasks have run, or none has run for a while.
func (t *tally) await(want int) {
	const hung = 8 * time.Second // some timers are late by a whole turn of their wheel
	seen, since := int64(0), time.Now()
	for seen < int64(want) && time.Since(since) < hung {
		time.Sleep(200 * time.Microsecond)
		if n := t.fired.Load(); n > seen {
			seen, since = n, time.Now()
		}
	}
}

// reportEarly reports by how many ms the earliest task ran early. It fails b if the timer is not known to fire early.
func reportEarly(b *testing.B, k Kind, ms float64) {
	switch {
	case ms > 0 && !k.Early:
		b.Errorf("a task ran %.3f ms early", ms)
	case k.Early:
		b.ReportMetric(max(0, ms), "early-max-ms")
	}
}
