package main

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/perf/benchfmt"
)

// figures runs a program, and returns its figures in benchstat's units.
func (b *bench) figures(t *testing.T, name, kind, timer string) map[string]float64 {
	t.Helper()
	machine, out, err := b.run(t.Context(), name, kind)
	if err != nil {
		t.Fatal(err)
	}
	r := benchfmt.NewReader(strings.NewReader(machine+out), "")
	if !r.Scan() {
		t.Fatalf("no benchmark in %q", out)
	}
	result, ok := r.Result().(*benchfmt.Result)
	if !ok {
		t.Fatal(r.Result())
	}
	if got, want := string(result.Name), "Program/program="+name+"/timer="+timer; !strings.HasPrefix(got, want) {
		t.Errorf("the benchmark is %s, want %s", got, want)
	}
	if got := result.GetConfig("goos"); got != runtime.GOOS {
		t.Errorf("goos is %q", got)
	}
	values := map[string]float64{}
	for _, v := range result.Values {
		values[v.Unit] = v.Value
	}
	for _, unit := range []string{"ops/s", "cpu-sec/op", "p50-sec", "p99-sec"} {
		if values[unit] <= 0 {
			t.Errorf("%s, %s: %v %s", name, kind, values[unit], unit)
		}
	}
	if runtime.GOOS == "linux" && values["peak-MiB"] <= 1 {
		t.Errorf("%s, %s: a peak of %v MiB", name, kind, values["peak-MiB"])
	}
	if r.Scan() {
		t.Errorf("more than one benchmark in %q", out)
	}
	return values
}

func TestProgramsRunWithBothTimers(t *testing.T) {
	// So that the go command does not take an older result after a change there.
	if _, err := os.ReadDir("load"); err != nil {
		t.Fatal(err)
	}
	names, err := programs("")
	if err != nil {
		t.Fatal(err)
	}
	b := bench{measured: time.Second, tick: 10 * time.Millisecond, short: true, temp: t.TempDir()}
	if err := build(b.temp, names); err != nil {
		t.Fatal(err)
	}
	waits := []string{"centrifuge", "rate", "workqueue"} // their latency is lateness
	pools := []string{"raft", "rate", "yamux"}           // their ports take timers from a pool
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			std := b.figures(t, name, "std", "std")
			ported := b.figures(t, name, "hashedwheel", "hashedwheel-10ms")
			// On average, a timeout of the wheel is late by half a tick.
			if slices.Contains(waits, name) && ported["p50-sec"] < b.tick.Seconds()/4 {
				t.Errorf("half of the waits end within %vs", ported["p50-sec"])
			}
			if slices.Contains(pools, name) && ported["allocs/op"] >= std["allocs/op"] {
				t.Errorf("%v allocations an operation, and %v ported", std["allocs/op"], ported["allocs/op"])
			}
		})
	}
	t.Run("not ported", func(t *testing.T) {
		t.Parallel()
		unported := bench{measured: 100 * time.Millisecond, tick: b.tick, short: true, temp: t.TempDir()}
		if err := os.Symlink(filepath.Join(b.temp, "std"), filepath.Join(unported.temp, "hashedwheel")); err != nil {
			t.Fatal(err)
		}
		_, out, err := unported.run(t.Context(), "rate", "hashedwheel")
		if err == nil || !strings.Contains(err.Error(), "has not used the wheel") {
			t.Error(out, err)
		}
	})
}

func TestPortIsForOneVersion(t *testing.T) {
	_, err := port(t.TempDir(), "module golang.org/x/time v0.1.0\n")
	if err == nil || !strings.Contains(err.Error(), "is for golang.org/x/time v0.1.0") {
		t.Error(err)
	}
}
