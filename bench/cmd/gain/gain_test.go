package main

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/loads"
)

// outcome is three rounds in which CPU is 10% of a core for the load alone.
func outcome(stdCPU, wheelCPU, stdHeap, wheelHeap float64, mark string) (r results) {
	for _, by := range []float64{-0.5, 0, 0.5} {
		r.add(alone, []loads.Figure{{Name: "CPU", Value: 10 + by}})
		add := func(name string, cpu, heap, late float64) {
			r.add(name, []loads.Figure{{Name: "CPU", Value: cpu + by, Mark: mark}, {Name: "peak heap", Value: heap},
				{Name: "late p50", Value: late}, {Name: "late p99", Value: late}, {Name: "late max", Value: late}})
		}
		add(std, stdCPU, stdHeap, 0.1) // first, as main measures it: the verdict names the first mark
		add(wheel, wheelCPU, wheelHeap, 5)
	}
	return r
}

func TestSentencesSayWhetherToSwitch(t *testing.T) {
	load := loads.Mine{Pending: 100_000, Arms: 50_000, Tick: 10 * time.Millisecond}
	for want, r := range map[string]results{
		"Switch, if your timeouts may be 10ms late.":                                      outcome(40, 15, 20, 10, ""),
		"Switching saves 25.0% of a core (noise: ±1.50)":                                  outcome(40, 15, 20, 10, ""),
		"timers take 30.0% of a core with package time and 5.00% with":                    outcome(40, 15, 20, 10, ""),
		"Stay with package time: switching would save less than 2% of a core and 32 MiB.": outcome(13, 11.5, 20, 10, ""),
		"The difference in CPU is noise (±1.00% of a core).":                              outcome(12, 11.5, 20, 10, ""),
		"Stay with package time: it takes less CPU.":                                      outcome(12, 18, 20, 10, ""),
		"Switch for the memory, if your timeouts may be 10ms late":                        outcome(12, 11.5, 200, 100, ""),
		"This machine is too slow for the load (std bears 5 a second)":                    outcome(40, 15, 20, 10, "bears 5 a second"),
		"runs 0.10 ms late with package time and 5.00 ms with the wheel ":                 outcome(40, 15, 20, 10, ""),
	} {
		sentences := r.sentences(load)
		if text := strings.Join(sentences, "\n"); len(sentences) != 5 || !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

func TestLoadsThatMakeNoSenseAreRefused(t *testing.T) {
	good := loads.Mine{Pending: 1, Moves: 1, Tick: time.Millisecond, For: time.Second}
	if err := check(good, 1); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*loads.Mine){
		"give a rate":  func(m *loads.Mine) { m.Moves = 0 },
		"-pending":     func(m *loads.Mine) { m.Pending = -1 },
		"-move needs":  func(m *loads.Mine) { m.Pending = 0 },
		"-expire is a": func(m *loads.Mine) { m.Expire = 0.5 },
		"-for must":    func(m *loads.Mine) { m.For = 0 },
		"-tick must":   func(m *loads.Mine) { m.Tick = 0 },
	} {
		bad := good
		change(&bad)
		if err := check(bad, 1); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in %v", want, err)
		}
	}
	if check(good, 0) == nil {
		t.Error("no rounds are allowed")
	}
}

func TestFlagsTakeRatesAndPercentages(t *testing.T) {
	var n int
	var p float64
	flags := flag.NewFlagSet("gain", flag.ContinueOnError)
	flags.Func("arm", "", rate(&n))
	flags.Func("expire", "", part(&p))
	if err := flags.Parse([]string{"-arm", "50,000/s", "-expire", "1%"}); err != nil || n != 50_000 || p != 0.01 {
		t.Error(n, p, err)
	}
	if err := flags.Parse([]string{"-arm", "7", "-expire", "0.5"}); err != nil || n != 7 || p != 0.5 {
		t.Error(n, p, err)
	}
	flags.SetOutput(new(strings.Builder))
	for _, wrong := range [][]string{{"-arm", "x/s"}, {"-arm", "-1"}, {"-expire", "101%"}, {"-expire", "NaN"}} {
		if flags.Parse(wrong) == nil {
			t.Errorf("%q is allowed", wrong)
		}
	}
}

// TestMain makes the test program its own child.
func TestMain(m *testing.M) {
	if name := os.Getenv(contestant); name != "" {
		err := measureOne(loads.Mine{Pending: 10, Arms: 1000, Tick: time.Millisecond, For: 100 * time.Millisecond}, name)
		panic(err)
	}
	os.Exit(m.Run())
}

func TestChildMeasuresEachContestant(t *testing.T) {
	for _, name := range contestants {
		figures, err := measure(t.Context(), name)
		if err != nil || figures[0].Name != "CPU" {
			t.Errorf("%s: %+v, %v", name, figures, err)
		}
	}
}
