package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
)

// results are the values of each round, by contestant and figure.
type results struct {
	values map[string]map[string][]float64
	marks  []string
}

func (r *results) add(name string, figures []loads.Figure) {
	if r.values == nil {
		r.values = map[string]map[string][]float64{std: {}, wheel: {}, alone: {}}
	}
	for _, f := range figures {
		r.values[name][f.Name] = append(r.values[name][f.Name], f.Value)
		if f.Mark != "" {
			r.marks = append(r.marks, name+" "+f.Mark)
		}
	}
}

// median returns the median of a figure, and half the distance between the least and
// the most.
func (r *results) median(name, figure string) (middle, spread float64) {
	values := r.values[name][figure]
	return numbers.Median(values), (slices.Max(values) - slices.Min(values)) / 2
}

// cpu returns the CPU of the timers alone, without that of the load.
func (r *results) cpu(name string) (share, spread float64) {
	all, by := r.median(name, "CPU")
	load, byLoad := r.median(alone, "CPU")
	return max(0, all-load), max(by, byLoad)
}

func (r *results) print(out io.Writer, load loads.Mine) {
	w := tabwriter.NewWriter(out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "\tpackage time\thashedwheel")
	cell := func(v, by float64, unit string) string {
		return fmt.Sprintf("%s %s ±%s", numbers.Number(v), unit, numbers.Number(by))
	}
	row := func(text string, of func(name string) string) {
		fmt.Fprintf(w, "%s\t%s\t%s\n", text, of(std), of(wheel))
	}
	row("CPU of the timers", func(name string) string {
		v, by := r.cpu(name)
		return cell(v, by, loads.OfCore)
	})
	for _, f := range []struct{ name, text, unit string }{
		{"peak heap", "peak heap", loads.MiB}, {"late p50", "late, median", loads.Millis},
		{"late p99", "late, 99th percentile", loads.Millis}, {"late max", "latest", loads.Millis},
	} {
		row(f.text, func(name string) string {
			v, by := r.median(name, f.name)
			return cell(v, by, f.unit)
		})
	}
	_ = w.Flush() // the next line would fail also
	fmt.Fprintln(out)
	for i, sentence := range r.sentences(load) {
		fmt.Fprintf(out, "%d. %s\n", i+1, sentence)
	}
}

// A gain must exceed one of these to be worth a dependency.
const (
	worthCPU  = 2.0  // % of a core
	worthHeap = 32.0 // MiB

	leastNoise = 0.05 // of the CPU, however close the rounds are
)

// sentences explain the figures.
func (r *results) sentences(load loads.Mine) []string {
	before, byBefore := r.cpu(std)
	after, byAfter := r.cpu(wheel)
	saved, noise := before-after, max(byBefore+byAfter, leastNoise*max(before, after))
	heapBefore, _ := r.median(std, "peak heap")
	heapAfter, _ := r.median(wheel, "peak heap")
	lateBefore, _ := r.median(std, "late p50")
	lateAfter, _ := r.median(wheel, "late p50")
	latest, byLatest := r.median(wheel, "late max")
	all := []string{fmt.Sprintf("With %s pending, %s armed and %s moved later a second, timers take %s%% of a core with package time and %s%% with the wheel.",
		numbers.Grouped(load.Pending), numbers.Grouped(load.Arms), numbers.Grouped(load.Moves), numbers.Number(before), numbers.Number(after))}
	switch {
	case saved > noise:
		all = append(all, fmt.Sprintf("Switching saves %s%% of a core (noise: ±%s): a program that uses one core would use %.0f%% of it.",
			numbers.Number(saved), numbers.Number(noise), max(0, 100-saved)))
	case -saved > noise:
		all = append(all, fmt.Sprintf("Switching costs %s%% of a core (noise: ±%s).", numbers.Number(-saved), numbers.Number(noise)))
	default:
		all = append(all, fmt.Sprintf("The difference in CPU is noise (±%s%% of a core).", numbers.Number(noise)))
	}
	all = append(all,
		fmt.Sprintf("The heap grows to %s MiB with package time and to %s MiB with the wheel.", numbers.Number(heapBefore), numbers.Number(heapAfter)),
		fmt.Sprintf("A timeout runs %s ms late with package time and %s ms with the wheel (medians), which includes its tick of %v; with the wheel the latest was %s ms late (±%s).",
			numbers.Number(lateBefore), numbers.Number(lateAfter), load.Tick, numbers.Number(latest), numbers.Number(byLatest)))
	return append(all, r.verdict(saved, noise, heapBefore-heapAfter, load))
}

func (r *results) verdict(saved, noise, heap float64, load loads.Mine) string {
	switch {
	case len(r.marks) > 0:
		return "This machine is too slow for the load (" + r.marks[0] + "), so the figures above are those of a smaller load: try lower rates."
	case -saved > noise && -saved > worthCPU:
		return "Stay with package time: it takes less CPU."
	case saved > noise && saved > worthCPU:
		return fmt.Sprintf("Switch, if your timeouts may be %v late.", load.Tick)
	case heap > worthHeap:
		return fmt.Sprintf("Switch for the memory, if your timeouts may be %v late: the CPU is no reason.", load.Tick)
	}
	return fmt.Sprintf("Stay with package time: switching would save less than %.0f%% of a core and %.0f MiB.", worthCPU, worthHeap)
}
