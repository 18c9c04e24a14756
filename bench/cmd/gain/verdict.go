package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"golang.org/x/perf/benchfmt"
	"golang.org/x/perf/benchmath"

	"github.com/hashedwheel/hashedwheel/bench"
)

// figures are the values of all rounds, by timer and unit.
type figures map[string]map[string][]float64

func (f figures) add(timer string, values []benchfmt.Value) {
	if f[timer] == nil {
		f[timer] = map[string][]float64{}
	}
	for _, v := range values {
		f[timer][v.Unit] = append(f[timer][v.Unit], v.Value)
	}
}

// comparison is a figure of both timers.
type comparison struct {
	before, after benchmath.Summary
	benchmath.Comparison
}

func (f figures) compare(unit string) comparison {
	std := benchmath.NewSample(f[bench.Two[0].Name][unit], &benchmath.DefaultThresholds)
	wheel := benchmath.NewSample(f[bench.Two[1].Name][unit], &benchmath.DefaultThresholds)
	const confidence = 0.95
	a := benchmath.AssumeNothing
	return comparison{a.Summary(std, confidence), a.Summary(wheel, confidence), a.Compare(std, wheel)}
}

// saved returns by how much switching lowers the figure: 0 if the difference may be noise.
func (c comparison) saved() float64 {
	if c.P > c.Alpha {
		return 0
	}
	return c.before.Center - c.after.Center
}

func (f figures) print(out io.Writer, load bench.Steady) error {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "\tpackage time\thashedwheel\t")
	for _, row := range []struct{ text, unit string }{
		{"CPU of the timers, % of a processor", bench.TimersCPU},
		{"the heap grows by, MiB", bench.Peak},
		{"late, median, ms", bench.LateP50},
		{"late, 99th percentile, ms", bench.LateP99},
		{"latest, ms", bench.LateMost},
	} {
		c := f.compare(row.unit)
		fmt.Fprintf(w, "%s\t%.4g ± %s\t%.4g ± %s\t%s (%s)\n", row.text, c.before.Center, c.before.PctRangeString(),
			c.after.Center, c.after.PctRangeString(), c.FormatDelta(c.before.Center, c.after.Center), c.Comparison)
	}
	if err := w.Flush(); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "\n%s\n", f.verdict(load))
	return err
}

// A gain must exceed one of these to be worth a dependency.
const (
	worthCPU  = 2.0  // % of a processor
	worthHeap = 32.0 // MiB
)

func (f figures) verdict(load bench.Steady) string {
	cpu, heap := f.compare(bench.TimersCPU).saved(), f.compare(bench.Peak).saved()
	switch {
	case cpu > worthCPU:
		return fmt.Sprintf("Switch, if your timeouts may be %v late: that saves %.1f%% of a processor.", load.Tick, cpu)
	case cpu < -worthCPU:
		return fmt.Sprintf("Stay with package time: switching costs %.1f%% of a processor.", -cpu)
	case heap > worthHeap:
		return fmt.Sprintf("Switch for %.0f MiB of memory, if your timeouts may be %v late: the CPU is no reason.",
			heap, load.Tick)
	}
	return fmt.Sprintf("Stay with package time: switching is not certain to save %.0f%% of a processor or %.0f MiB.",
		worthCPU, worthHeap)
}
