package loads

import (
	"math"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
	"github.com/hashedwheel/hashedwheel/bench/servers"
)

func TestMain(m *testing.M) {
	servers.Main()
	os.Exit(m.Run())
}

func TestTallyTellsLostTwiceAndEarly(t *testing.T) {
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

func TestWaitGivesUpOnSilence(t *testing.T) {
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
	for i, want := range []float64{500, 990, 999, 1000} {
		if f := percentiles("", Millis, values)[i]; math.Abs(f.Value-want) > 1 {
			t.Errorf("%s = %v, want %v", f.Name, f.Value, want)
		}
	}
}

// tiny is so small that every case is over in a moment.
func tiny() Config {
	return Config{
		Rate: 5 * time.Millisecond, Pending: []int{0, 100}, Many: 100, Storm: 100, Fire: []int{100},
		RPC: 20 * time.Millisecond, Heap: 20 * time.Millisecond, Due: 100, DueFor: 100 * time.Millisecond, Ticks: []time.Duration{time.Millisecond},
		Idle: 5 * time.Millisecond, Late: 10, Grow: []int{100}, Stays: 10, StaysOf: 50, Steady: []int{1000}, SteadyFor: 50 * time.Millisecond, Crowd: []int{2},
		Mixed: 1000, MixedFor: 200 * time.Millisecond, CPUs: []int{runtime.GOMAXPROCS(0)}, Conns: 5, Flying: 10,
		Serve: 20 * time.Millisecond, ServeConns: []int{5}, FallIdle: 200 * time.Millisecond,
	}
}

// TestEveryCaseRunsWithOurs is about the loads: what they return has no meaning
// at this size.
func TestEveryCaseRunsWithOurs(t *testing.T) {
	ours, _ := peers.Choose("hashedwheel")
	for _, l := range All() {
		for _, k := range l.Cases(tiny()) {
			t.Run(l.Name+"/"+k.Name, func(t *testing.T) {
				t.Parallel()
				if why := Unfit(l, k, ours[0]); why != "" {
					t.Fatal(why)
				}
				figures, err := k.Run(ours[0], tiny())
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

func TestPeerWithoutTheTickHasNoPart(t *testing.T) {
	found, _ := peers.Choose("antlabs-wheel")
	k, ok := idle.Find("tick of 1ms", tiny())
	if !ok {
		t.Fatal("no such case")
	}
	if why := Unfit(idle, k, found[0]); why != "not supported: its tick is 10ms" {
		t.Error(why)
	}
}
