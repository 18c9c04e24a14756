package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"
)

// A report is what came of a run.
type report struct {
	clients       int
	sides         []side
	before, after int // goroutines
}

// A side is what came of one server.
type side struct {
	name    string
	endings []ending // one a connection
	reads   int64
	expired uint64 // timeouts
	left    int    // timeouts pending when all connections had ended
}

func newSide(s *server, left int) side {
	return side{s.name, s.endings, s.reads.Load(), s.timer.Stats().Expired, left}
}

// settle returns the number of goroutines once it is down to want, or will not
// come down: a goroutine that has done its work takes a moment to go.
func settle(want int) int {
	for range 200 {
		if runtime.NumGoroutine() <= want {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return runtime.NumGoroutine()
}

// verdict returns what went wrong, or nil.
func (r *report) verdict() error {
	var errs []error
	connections := 0
	for _, s := range r.sides {
		errs = append(errs, s.wrongs()...)
		connections += len(s.endings)
	}
	if connections != r.clients {
		errs = append(errs, fmt.Errorf("%d clients, but %d connections served", r.clients, connections))
	}
	if r.after > r.before {
		errs = append(errs, fmt.Errorf("%d goroutines after shutdown, %d at start", r.after, r.before))
	}
	return first(errs, 5)
}

// wrongs returns what went wrong on one side.
//
// A talking client that was closed counts as wrong only if that was early. If a
// stalled machine kept it from talking for the whole idle time, the close is right.
func (s side) wrongs() (errs []error) {
	wrong := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf(s.name+": "+format, args...))
	}
	for _, e := range s.endings {
		switch {
		case e.err != nil:
			wrong("a connection broke: %w", e.err)
		case e.idle && e.late < 0 && e.last == last:
			wrong("an idle connection was closed %v early", -e.late)
		case e.idle && e.late < 0:
			wrong("a talking connection was closed, %v before it could be idle", -e.late)
		}
	}
	if _, _, _, forgotten := s.count(); forgotten > 0 {
		wrong("%d idle connections were not closed at all", forgotten)
	}
	if s.left > 0 {
		wrong("%d timeouts outlived their connections", s.left)
	}
	return errs
}

// first joins the first n errors and says how many more there are.
func first(errs []error, n int) error {
	if more := len(errs) - n; more > 0 {
		errs = append(errs[:n:n], fmt.Errorf("and %d more", more))
	}
	return errors.Join(errs...)
}

// print prints a table with a column for each side.
func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	row := func(label string, cell func(side) string) {
		fmt.Fprint(t, label)
		for _, s := range r.sides {
			fmt.Fprint(t, "\t", cell(s))
		}
		fmt.Fprintln(t)
	}
	fmt.Fprintln(t)
	row("", func(s side) string { return s.name })
	row("closed as idle", func(s side) string { late, _, _, _ := s.count(); return fmt.Sprint(len(late)) })
	row("kept, until the client hung up", func(s side) string { _, kept, _, _ := s.count(); return fmt.Sprint(kept) })
	row("of those closed, stalled, not silent", func(s side) string { _, _, stalled, _ := s.count(); return fmt.Sprint(stalled) })
	row("reads served", func(s side) string { return fmt.Sprint(s.reads) })
	row("timeouts expired", func(s side) string { return fmt.Sprint(s.expired) })
	row("closed late by: least", func(s side) string { return s.lateness(0) })
	row("median", func(s side) string { return s.lateness(50) })
	row("most", func(s side) string { return s.lateness(100) })
	fmt.Fprintf(t, "goroutines after shutdown\t%d (%d at start)\n", r.after, r.before)
}

// count returns how late each idle close was, how many connections were kept,
// how many of those closed had meant to go on talking, and how many that were
// idle nobody closed.
func (s side) count() (late []time.Duration, kept, stalled, forgotten int) {
	for _, e := range s.endings {
		switch {
		case e.idle:
			late = append(late, e.late)
			if e.last != last {
				stalled++
			}
		case e.last == last:
			forgotten++
		default:
			kept++
		}
	}
	return late, kept, stalled, forgotten
}

// lateness returns by how much that percentage of the idle closes was late at most.
func (s side) lateness(percent int) string {
	late, _, _, _ := s.count()
	if len(late) == 0 {
		return "none"
	}
	slices.Sort(late)
	return late[(len(late)-1)*percent/100].Round(10 * time.Microsecond).String()
}
