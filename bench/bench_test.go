// Package bench measures timers, in its tests: a file has a load.
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
)

var (
	timers = new(regexp.Regexp)
	scale  = flag.Float64("scale", 1, "`factor` for the sizes and times of the loads")
	limit  = flag.Duration("limit", 3*time.Minute, "`time` after which a process is taken to hang")
	here   = flag.Bool("here", false, "run the benchmarks in this process, as for a profile")
)

func TestMain(m *testing.M) {
	flag.TextVar(timers, "timers", regexp.MustCompile("^(std|hashedwheel)$"), "`regexp` of the timers that take part; "+
		". for all")
	ownFlags()
	flag.Parse()
	isBenchmark := flag.Lookup("test.bench").Value.String() != ""
	if run := flag.Lookup("test.run").Value; isBenchmark && run.String() == "" {
		_ = run.Set("^$") // who measures need not wait for the tests
	}
	os.Exit(m.Run())
}

// each runs f for each timer that fits, as the benchmark "labels/timer=NAME", in a process of its own: what a timer
// leaves, such as a million pending timeouts or ended goroutines, weighs on no other.
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
			if b.N == 1 { // package testing begins with one iteration, and goes on with more if that was short
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
// run of a benchmark, which starts the other process, and is the only run of most loads.
func useFirstProcessors() {
	first, _, _ := strings.Cut(flag.Lookup("test.cpu").Value.String(), ",")
	if n, err := strconv.Atoi(first); err == nil {
		runtime.GOMAXPROCS(n)
	}
}

// inProcess returns the result of the benchmark b of another process of this program.
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

// The loads that docs/timing-wheels.md shows are for all timers.
func anyKind(Kind) bool { return true }

// Other loads are for these.
func notDrawn(k Kind) bool { return !k.Drawn }

// Loads whose timeouts are armed again are for these.
func owners(k Kind) bool { return k.Owns && notDrawn(k) }

// Loads of crowds, of saturated servers and of the collector are for these.
func isOneOfTwo(k Kind) bool { return k.Name == two[0].Name || k.Name == two[1].Name }

// Loads for which the time package has no call are for this one.
func isWheel(k Kind) bool { return k.Name == two[1].Name }

// armTick is the tick where lateness is not the subject.
const armTick = 100 * ms

// parallel times a loop on all processors. Package testing runs it with more and more iterations; setup runs once.
func parallel(b *testing.B, labels string, fits func(Kind) bool, setup func(k Kind) func(pb *testing.PB)) {
	loops := map[string]func(pb *testing.PB){}
	each(b, labels, fits, func(b *testing.B, k Kind) {
		if loops[k.Name] == nil {
			loops[k.Name] = setup(k)
		}
		b.ReportAllocs()
		b.ResetTimer()
		cpu := CPUTime()
		b.RunParallel(loops[k.Name])
		b.ReportMetric(float64(CPUTime()-cpu)/float64(b.N), "cpu-ns/op")
	})
}

// once ends a load that is no loop of operations: it leaves out ns/op, and is so long that package testing does
// not run the load again.
func once(b *testing.B) {
	b.ReportMetric(0, "ns/op")
	if d, err := time.ParseDuration(flag.Lookup("test.benchtime").Value.String()); err == nil {
		time.Sleep(d - b.Elapsed())
	}
}

// quantiles reports metrics of values, which it sorts: late-p99-ms.
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

// far returns delays between one and two hours, evenly and in no order, like the idle timeouts of connections.
func far(i int) time.Duration { return time.Hour + scatter(i, time.Hour) }

// scatter returns the i-th of delays that cover a range evenly, in no order.
func scatter(i int, d time.Duration) time.Duration {
	const golden = 0x9E3779B97F4A7C15 // Weyl's sequence
	part, _ := bits.Mul64(uint64(i)*golden, uint64(d))
	return time.Duration(part)
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

// tally counts the tasks that ran, and how early the earliest of those was that were looked at.
type tally struct {
	fired    atomic.Int64
	mu       sync.Mutex
	earliest time.Duration // guarded by mu
}

func (t *tally) fire() { t.fired.Add(1) }

// due returns a task that is looked at, and is due d from now.
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

// task returns the i-th task, which is due d from now. One in checkEvery is looked at.
func (t *tally) task(i int, d time.Duration) func() {
	const checkEvery = 64
	if i%checkEvery == 0 {
		return t.due(d)
	}
	return t.fire
}

// wait waits until want tasks have run. It fails b if they do not, or more do, or if a task was early although the
// timer is not known for that.
func (t *tally) wait(b *testing.B, k Kind, want int) {
	t.await(want)
	if n := t.fired.Load(); n != int64(want) {
		b.Errorf("%d tasks ran, of %d", n, want)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	reportEarly(b, k, float64(t.earliest)/1e6)
}

// await returns once want tasks have run, or none has for a while.
func (t *tally) await(want int) {
	const patience = 8 * time.Second // some timers are late by a whole turn of their wheel
	seen, since := int64(0), time.Now()
	for seen < int64(want) && time.Since(since) < patience {
		time.Sleep(200 * time.Microsecond)
		if n := t.fired.Load(); n > seen {
			seen, since = n, time.Now()
		}
	}
}

// reportEarly is for a timer that is known to fire early.
func reportEarly(b *testing.B, k Kind, ms float64) {
	switch {
	case ms > 0 && !k.Early:
		b.Errorf("a task ran %.3f ms early", ms)
	case k.Early:
		b.ReportMetric(max(0, ms), "early-max-ms")
	}
}
