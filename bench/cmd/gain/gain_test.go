package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/hashedwheel/hashedwheel/bench"
)

// outcome is six rounds with figures around these.
func outcome(stdCPU, wheelCPU, stdHeap, wheelHeap float64) figures {
	f := figures{}
	for _, by := range []float64{-0.5, -0.3, -0.1, 0.1, 0.3, 0.5} {
		add := func(timer string, cpu, heap, late float64) {
			f.add(timer, []benchfmt.Value{
				{Value: cpu + by, Unit: bench.TimersCPU}, {Value: heap + by, Unit: bench.Peak},
				{Value: late, Unit: bench.LateP50}, {Value: late, Unit: bench.LateP99},
				{Value: late, Unit: bench.LateMost},
			})
		}
		add("std", stdCPU, stdHeap, 0.1)
		add("hashedwheel", wheelCPU, wheelHeap, 5)
	}
	return f
}

func TestVerdictSaysWhetherToSwitch(t *testing.T) {
	for want, f := range map[string]figures{
		"Switch, if your timeouts may be 10ms late: that saves 25.0% of a processor": outcome(40, 15, 20, 10),
		"Stay with package time: switching is not certain to save 2% of a p":         outcome(13, 11.5, 20, 10),
		"Stay with package time: switching costs 6.0% of a processor.":               outcome(12, 18, 20, 10),
		"Switch for 100 MiB of memory, if your timeouts may be 10ms late":            outcome(12, 11.5, 200, 100),
		"0.1 ± 0%       5 ± 0%        +4900.00% (p=0.002 n=6)":                       outcome(40, 15, 20, 10),
	} {
		var out strings.Builder
		err := f.print(&out, bench.Steady{Tick: 10 * time.Millisecond})
		if err != nil || !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
}

// The difference of two samples that overlap is no reason for anything.
func TestNoiseSavesNothing(t *testing.T) {
	f := figures{}
	for _, by := range []float64{-20, -10, 0, 10, 20} {
		f.add("std", []benchfmt.Value{{Value: 50 + by, Unit: bench.TimersCPU}})
		f.add("hashedwheel", []benchfmt.Value{{Value: 45 - by, Unit: bench.TimersCPU}})
	}
	if saved := f.compare(bench.TimersCPU).saved(); saved != 0 {
		t.Errorf("saves %v", saved)
	}
}

var load = bench.Steady{
	Pending: 10, Moves: 100, Arms: 1000, Expire: 0.1, Tick: time.Millisecond, For: 200 * time.Millisecond,
}

// TestMain makes the test program its own child.
func TestMain(m *testing.M) {
	if os.Getenv(contestant) != "" {
		if err := start(os.Stdout, load, 1, nil); err != nil {
			panic(err)
		}
		return
	}
	os.Exit(m.Run())
}

func TestGainMeasuresBothTimers(t *testing.T) {
	var out strings.Builder
	if err := start(&out, load, 2, nil); err != nil || !strings.Contains(out.String(), "\nStay with package time") {
		t.Errorf("%v\n%s", err, &out)
	}
}
