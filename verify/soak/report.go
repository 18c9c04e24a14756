package main

import (
	"fmt"
	"io"
	"runtime"
	"strconv"
	"strings"
	"time"
)

// add adds a life that is over.
func (ln *lane) add(l *life) {
	ln.lives++
	ln.books.add(&l.books)
	ln.tally.add(&l.tally)
}

func (t *tally) add(other *tally) {
	t.lateness.add(&other.lateness)
	t.full.Add(other.full.Load())
	t.panics.Add(other.panics.Load())
	t.exits.Add(other.exits.Load())
	t.slow.Add(other.slow.Load())
	t.runsOfSeries.Add(other.runsOfSeries.Load())
	t.waited.Add(other.waited.Load())
}

// progress returns a line on how far the run is.
func (s *soak) progress() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var armings, pending int64
	for _, ln := range s.lanes {
		armings += ln.books.armings()
	}
	for _, l := range s.lives {
		armings += l.books.armings()
		pending += l.books.allUnsettled()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return fmt.Sprintf("%5s   round %3d   %14s armings   %14s settled   %9s pending   heap %9s   %5d goroutines",
		time.Since(s.began).Round(time.Second), s.round+1, grouped(armings), grouped(armings-pending), grouped(pending), bytes(m.HeapAlloc), runtime.NumGoroutine())
}

// table prints the books of all lanes, side by side.
func (s *soak) table(out io.Writer) {
	all := &lane{name: "total"}
	for _, ln := range s.lanes {
		all.lives += ln.lives
		all.books.add(&ln.books)
		all.tally.add(&ln.tally)
	}
	columns := append(append([]*lane(nil), s.lanes...), all)
	row := func(name string, cell func(*lane) string) {
		fmt.Fprintf(out, "%-24s", name)
		for _, ln := range columns {
			fmt.Fprintf(out, " %13s", cell(ln))
		}
		fmt.Fprintln(out)
	}
	count := func(name string, n func(*lane) int64) {
		row(name, func(ln *lane) string { return orDash(n(ln)) })
	}
	rule := func() { fmt.Fprintln(out, strings.Repeat("-", 24+14*len(columns))) }

	row("", func(ln *lane) string { return ln.name })
	count("timers", func(ln *lane) int64 { return int64(ln.lives) })
	rule()
	count("armings", func(ln *lane) int64 { return ln.books.armings() })
	for o := range outcomes {
		count("  "+outcomeNames[o], func(ln *lane) int64 { return ln.books.sum(o) })
	}
	row("  without an outcome", func(ln *lane) string { return grouped(ln.books.allUnsettled()) })
	rule()
	for k := range kinds {
		count(kindNames[k], func(ln *lane) int64 { return ln.books.pages[k].armings.Load() })
	}
	count("rejected as full", func(ln *lane) int64 { return ln.full.Load() })
	count("runs of series", func(ln *lane) int64 { return ln.runsOfSeries.Load() })
	count("waits for After", func(ln *lane) int64 { return ln.waited.Load() })
	count("tasks that panicked", func(ln *lane) int64 { return ln.panics.Load() })
	count("tasks that Goexit ended", func(ln *lane) int64 { return ln.exits.Load() })
	count("slow tasks", func(ln *lane) int64 { return ln.slow.Load() })
	row("99% late by at most", func(ln *lane) string { return short(ln.lateness.below(0.99)) })
	row("all late by at most", func(ln *lane) string { return short(time.Duration(ln.lateness.most.Load())) })
	rule()
}

// verdict prints the heap, the goroutines and whether all balances.
func (s *soak) verdict(out io.Writer) (ok bool) {
	h := &s.heap
	fmt.Fprintf(out, "heap in a timer's life   %s in the first quarter, %s in the last\n", bytes(median(h.within[0])), bytes(median(h.within[samplesALife-1])))
	fmt.Fprintf(out, "heap between timers      %s after the first round, %s after the last\n", bytes(h.between[0]), bytes(h.between[len(h.between)-1]))
	fmt.Fprintf(out, "goroutines               %d in the beginning, %d at the end\n\n", s.goroutines, s.remaining)
	return tellFaults(out, &s.faults, "All books balance: each arming has exactly one outcome, none ran early, and Stats agrees.")
}

// tellFaults prints the differences, or that all is well.
func tellFaults(out io.Writer, f *faults, well string) (ok bool) {
	lines := f.lines()
	if len(lines) == 0 {
		fmt.Fprintln(out, well)
		return true
	}
	fmt.Fprintln(out, "THE BOOKS DO NOT BALANCE:")
	for _, line := range lines {
		fmt.Fprintln(out, "  "+line)
	}
	return false
}

// grouped writes a number as 1,234,567.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

func orDash(n int64) string {
	if n == 0 {
		return "-"
	}
	return grouped(n)
}

func bytes(n uint64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.2f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return fmt.Sprintf("%.0f KiB", float64(n)/(1<<10))
}

// short writes a duration with three digits or four.
func short(d time.Duration) string {
	switch {
	case d >= 10*time.Second:
		return d.Round(100 * time.Millisecond).String()
	case d >= time.Second:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(10 * time.Microsecond).String()
}
