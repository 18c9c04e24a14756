package bench

import (
	"bytes"
	"math"
	"os"
	"os/exec"
	"runtime"
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

// BenchmarkProcessors has no load: it reports the GOMAXPROCS of its run, which must be the number in its name.
func BenchmarkProcessors(b *testing.B) {
	each(b, "", isOneOfTwo, func(b *testing.B, _ Kind) {
		b.ReportMetric(float64(runtime.GOMAXPROCS(0)), "processors")
		once(b)
	})
}

// The second timer's benchmark begins with what the first one's has left.
func TestBenchmarksRunOnTheProcessorsOfTheirNames(t *testing.T) {
	for _, where := range []string{"-here=false", "-here"} {
		found := results(t, output(t, where, "-timers=^(std|hashedwheel)$", "-test.cpu=3,1,2",
			"-test.run=^$", "-test.benchtime=1x", "-test.bench=^BenchmarkProcessors$"))
		if len(found) != 6 {
			t.Fatalf("%d results", len(found))
		}
		for i, r := range found {
			want := []float64{3, 1, 2}[i%3]
			if n, ok := r.Value("processors"); !ok || n != want {
				t.Errorf("%s, %s: on %v processors, want %v", where, r.Name, n, want)
			}
		}
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

func TestHeartbeatCountsEveryPointOfOneStall(t *testing.T) {
	const every = 10 * ms
	b := &heartbeat{every: every, start: time.Now().Add(-105 * ms), next: every}
	late := b.end()
	if len(late) < 10 || late[0] < 90 || late[9] > late[0]-80 || stalls(late) != 1 {
		t.Errorf("%d stalls, in %v", stalls(late), late)
	}
}

func TestStallCountsOnceHoweverManyBeatsItDelays(t *testing.T) {
	for _, c := range []struct {
		late []float64
		want int
	}{
		{[]float64{}, 0},
		{[]float64{1, 60, 55, 1}, 0},
		{[]float64{61, 56}, 1},
		{[]float64{1, 80, 75, 70, 65, 60}, 1},
		{[]float64{80, 75, 70, 65, 1, 70, 65}, 2},
		{[]float64{80, 75, 70, 200, 195}, 2},
	} {
		if n := stalls(c.late); n != c.want {
			t.Errorf("%v: %d stalls, want %d", c.late, n, c.want)
		}
	}
}
