package bench

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"
)

// Each benchmark runs once with each timer, at a size at which its figures mean nothing. It fails by itself if a
// timeout is lost, runs twice or, with a timer that should not, runs early.
func TestBenchmarksRunWithEveryTimer(t *testing.T) {
	var running sync.WaitGroup
	places := make(chan struct{}, 6) // they sleep most of the time
	var mu sync.Mutex
	timers := map[string]bool{} // guarded by mu
	for _, name := range output(t, "-test.list=^Benchmark") {
		places <- struct{}{}
		running.Go(func() {
			defer func() { <-places }()
			found := results(t, output(t, "-here", "-scale=0.001", "-timers=.",
				"-test.run=^$", "-test.benchtime=1x", "-test.bench=^"+name+"$"))
			if len(found) == 0 {
				t.Errorf("%s has no result", name)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, r := range found {
				_, timer, _ := strings.Cut(r.Name.String(), "/timer=")
				timers[strings.TrimRight(timer, "-0123456789")] = true
				for _, v := range r.Values {
					if math.IsNaN(v.Value) || math.IsInf(v.Value, 0) {
						t.Errorf("%s: %v %s", r.Name, v.Value, v.Unit)
					}
				}
			}
		})
	}
	running.Wait()
	for _, k := range kinds {
		if !timers[k.Name] {
			t.Errorf("%s is in no benchmark", k.Name)
		}
	}
}

// output returns the lines of a process of this test program.
func output(t *testing.T, args ...string) []string {
	out, err := exec.Command(os.Args[0], args...).CombinedOutput()
	if err != nil {
		t.Errorf("%v: %v\n%s", args, err, out)
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")
}

func results(t *testing.T, lines []string) (found []*benchfmt.Result) {
	r := benchfmt.NewReader(strings.NewReader(strings.Join(lines, "\n")+"\n"), "output")
	for r.Scan() {
		if r, ok := r.Result().(*benchfmt.Result); ok {
			found = append(found, r.Clone())
		}
	}
	return found
}

// A sub-benchmark reports what another process has measured.
func TestSubBenchmarksRunInProcessesOfTheirOwn(t *testing.T) {
	found := results(t, output(t, "-timers=^std$", "-test.cpu=3",
		"-test.run=^$", "-test.benchtime=1000x", "-test.bench=^BenchmarkRearm$"))
	if len(found) != 1 || found[0].Name.String() != "Rearm/timer=std-3" || found[0].Iters != 1000 {
		t.Fatalf("%+v", found)
	}
	if each, ok := found[0].Value("cpu-sec/op"); !ok || each <= 0 || each > 1e-3 {
		t.Errorf("%v s of CPU time each", each)
	}
}

// A timer that hangs is given up, and its benchmark fails with the reason.
func TestHangingTimerFailsItsBenchmark(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-limit=1ms", "-timers=^std$", "-test.run=^$", "-test.bench=^BenchmarkRearm$")
	out, err := cmd.CombinedOutput()
	if err == nil || !bytes.Contains(out, []byte("not done in 1ms")) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestFailuresOfTimersFailTheirBenchmarks(t *testing.T) {
	sound, early := Kind{Name: "sound"}, Kind{Name: "early", Early: true}
	for name, c := range map[string]struct {
		want  bool
		kind  Kind
		tasks func(*tally)
	}{
		"all run":                    {true, sound, func(t *tally) { t.fire(); t.due(-time.Hour)() }},
		"a task runs twice":          {false, sound, func(t *tally) { t.fire(); t.fire(); t.fire() }},
		"a task is early":            {false, sound, func(t *tally) { t.fire(); t.due(time.Hour)() }},
		"early, and known for that":  {true, early, func(t *tally) { t.fire(); t.due(time.Hour)() }},
		"a task is lost, after 8 s":  {false, sound, func(t *tally) { t.fire() }},
		"a task is late, before 8 s": {true, sound, func(t *tally) { t.fire(); time.AfterFunc(500*ms, t.fire) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := testing.Benchmark(func(b *testing.B) {
				var fired tally
				c.tasks(&fired)
				fired.wait(b, c.kind, 2)
				once(b)
			})
			if got := r.N > 0; got != c.want {
				t.Errorf("passes: %t, want %t", got, c.want)
			}
		})
	}
}

// A loop that waits until the end of a stall would count the stall once.
func TestStallCountsForEachCallThatItDelays(t *testing.T) {
	const stall, every = 30 * ms, 100 * time.Microsecond
	calls, waited := 0, 0
	took := paced(every, 2*stall, func() {
		if calls++; calls == 10 {
			time.Sleep(stall)
		}
	})
	for _, ns := range took {
		if ns > 1e6 {
			waited++
		}
	}
	if len(took) != int(2*stall/every) || waited < int(stall/every)*9/10 {
		t.Errorf("%d of %d calls waited", waited, len(took))
	}
}

func TestHeartbeatCountsEveryPointOfAStall(t *testing.T) {
	const every = 10 * ms
	b := &heartbeat{every: every, start: time.Now().Add(-105 * ms), next: every}
	late := b.end()
	if len(late) < 10 || late[0] < 90 || late[9] > late[0]-80 {
		t.Error(late)
	}
}

func TestFlightStopsEachCallOnceAfterAWhile(t *testing.T) {
	const n = 3000
	for _, most := range []int{1000, 1_000_000} {
		stopped := map[Armed]int{}
		var count gauge
		f := newFlight(most, &count, func(to Armed) { stopped[to]++ })
		for i := range n {
			f.add(time.NewTimer(time.Hour))
			if i == n/2 {
				time.Sleep(answerAfter)
			}
		}
		if len(stopped) < n/2-callsInBatch || len(stopped) > n-callsInBatch || count.most.Load() > int64(most) {
			t.Errorf("of at most %d: %d stopped, up to %d in flight", most, len(stopped), count.most.Load())
		}
		f.landAll()
		if len(stopped) != n {
			t.Errorf("%d stopped in the end", len(stopped))
		}
		for _, times := range stopped {
			if times != 1 {
				t.Fatalf("stopped %d times", times)
			}
		}
	}
}

func TestSteadyKeepsRatesBelowAThousand(t *testing.T) {
	calls := pacedCalls{timer: stdTimer{}, arm: armer(stdTimer{}), oneIn: 100}
	for ms := range 2000 {
		calls.round(ms, dueBy(250, ms))
	}
	if calls.armed != 500 || calls.expiring != 5 {
		t.Errorf("%d armed in two seconds, %d of them to expire", calls.armed, calls.expiring)
	}
}

func TestFarDelaysCoverTheHour(t *testing.T) {
	var quarters [4]int
	for i := range 1000 {
		quarters[(far(i)-time.Hour)/(15*time.Minute)]++
	}
	for _, n := range quarters {
		if n < 240 || n > 260 {
			t.Errorf("uneven: %v", quarters)
		}
	}
}

// What the benchmarks measure of this library is not the cost of its adapter.
func TestWheelArmsWithoutAllocationsOfTheBenchmark(t *testing.T) {
	tm := openWheel(10 * ms)
	defer tm.Close()
	arm, own := armer(tm), tm.New(nop)
	if n := testing.AllocsPerRun(1000, func() { arm(time.Hour).Stop() }); n != 1 {
		t.Errorf("arm and stop: %v allocations, want 1", n)
	}
	if n := testing.AllocsPerRun(1000, func() { own.Reset(time.Hour); own.Stop() }); n != 0 {
		t.Errorf("re-arm and stop: %v allocations, want 0", n)
	}
}
