package loads

import (
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"gonum.org/v1/gonum/stat"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
	"github.com/hashedwheel/hashedwheel/bench/servers"
)

func TestMain(m *testing.M) {
	servers.Main()
	os.Exit(m.Run())
}

func TestTallyFindsLostDoubledAndEarlyTimeouts(t *testing.T) {
	var fired tally
	for range 129 {
		fired.fire()
	}
	if err := fired.fault(5000); err == nil || err.Error() != "lost 4,871 of 5,000" {
		t.Error(err)
	}
	if err := fired.fault(100); err == nil || err.Error() != "fired 129 for 100 armed" {
		t.Error(err)
	}
	if err := fired.fault(129); err != nil || fired.mark() != "" {
		t.Error(err, fired.mark())
	}
	fired.checkedFire(time.Hour)()
	fired.checkedFire(-time.Hour)()
	if want := "EARLY by 3600000.0 ms (1 of 2)"; fired.mark() != want {
		t.Errorf("%q, want %q", fired.mark(), want)
	}
}

func TestTallyWaitGivesUpOnSilence(t *testing.T) {
	var fired tally
	start := time.Now()
	fired.wait(1, 20*time.Millisecond)
	if time.Since(start) < 20*time.Millisecond {
		t.Error("gave up too soon")
	}
}

func TestFarDelaysCoverTheHour(t *testing.T) {
	var quarters [4]int
	for i := range 1000 {
		d := far(i)
		if d < time.Hour || d >= 2*time.Hour {
			t.Fatalf("far(%d) = %v", i, d)
		}
		quarters[(d-time.Hour)/(15*time.Minute)]++
	}
	for _, n := range quarters {
		if n < 240 || n > 260 {
			t.Errorf("uneven: %v", quarters)
		}
	}
}

func TestPercentilesOfAKnownDistribution(t *testing.T) {
	var values []float64
	for i := 1000; i > 0; i-- {
		values = append(values, float64(i))
	}
	figures := quantiles("", Millis, values, "p50", "p99", "p99.9", "max")
	for i, want := range []float64{500, 990, 999, 1000} {
		if f := figures[i]; math.Abs(f.Value-want) > 1 {
			t.Errorf("%s = %v, want %v", f.Name, f.Value, want)
		}
	}
}

// tiny is so small that every case is over in a moment.
var tiny = Config{Scale: 0.0001, CPUs: []int{runtime.GOMAXPROCS(0)}}

// The figures mean nothing at this size.
func TestEveryCaseRunsWithOurs(t *testing.T) {
	ours, _ := peers.Choose("hashedwheel,hashedwheel-inline")
	for _, l := range All() {
		for _, k := range l.Cases(tiny) {
			t.Run(l.Name+"/"+k.Name, func(t *testing.T) {
				t.Parallel()
				p := ours[slices.IndexFunc(ours, func(p peers.Peer) bool { return Unfit(l, k, p) == "" })]
				figures, err := k.Run(p, tiny)
				if err != nil || len(figures) == 0 {
					t.Errorf("%d figures, %v", len(figures), err)
				}
				for _, f := range figures {
					if f.Mark != "" && !strings.HasPrefix(f.Mark, Bears) {
						t.Errorf("%s: %s", f.Name, f.Mark)
					}
				}
			})
		}
	}
}

func TestUnfitPeersTakeNoPart(t *testing.T) {
	std, _ := peers.Choose("std")
	fixed := std[0]
	fixed.Fixed, fixed.Least = true, 10*ms
	for why, k := range map[string]Case{
		"not supported: its tick is 10ms": {Exact: true, Tick: ms},
		"not supported":                   {Handicap: 1},
		"":                                {Only: []string{"std"}},
	} {
		if got := Unfit(idle, k, fixed); got != why {
			t.Errorf("%+v: %q, want %q", k, got, why)
		}
	}
}

func TestStormWithALargeHeapIsCalledOff(t *testing.T) {
	ours, _ := peers.Choose("hashedwheel")
	s := &storm{timer: ours[0].Open(ms), goroutines: 2, limit: 1}
	figures, err := s.run(ours[0], Config{Scale: 20}, kinds[0], ms)
	if err != nil || figures[1].Mark != calledOff {
		t.Errorf("%+v, %v", figures, err)
	}
}

// twice is package time, except that it expires every timeout twice.
type twice struct{ peers.Timer }

func (d twice) Arm(after time.Duration, f func()) peers.Armed {
	if after == stormExpiry {
		time.AfterFunc(after, f)
	}
	return d.Timer.Arm(after, f)
}

func TestStormFindsTimeoutsThatRanTwice(t *testing.T) {
	std, _ := peers.Choose("std")
	std[0].Open = func(time.Duration) peers.Timer { return twice{peers.Std()} }
	_, err := stormCase(2, kinds[0], time.Millisecond, 0).Run(std[0], tiny)
	if err == nil || !strings.Contains(err.Error(), "fired") {
		t.Error(err)
	}
}

func TestSampleIsEven(t *testing.T) {
	s := newSample(1000)
	for i := range 100_000 {
		s.add(float64(i))
	}
	if p := numbers.Median(s.values); len(s.values) != 1000 || math.Abs(p-50_000) > 10_000 {
		t.Errorf("%d values, median %v", len(s.values), p)
	}
}

func TestLongWaitCountsForAllItsTurns(t *testing.T) {
	var s stalls
	for range 128 {
		s.add(turn)
	}
	s.add(128 * turn)
	if f := s.figures("wait"); f[0].Value != 1 || f[2].Value != 128 {
		t.Errorf("%+v", f)
	}
	if p := stat.Quantile(0.75, stat.Empirical, s.values, s.weights); p != 64 {
		t.Errorf("p75 %v, want 64: half of the turns were short, the others of 1 to 128", p)
	}
}
