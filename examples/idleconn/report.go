package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A report is the result of a run.
type report struct {
	clients       int
	sides         []side
	before, after int // goroutines
}

// A side is the result of one server.
type side struct {
	name    string
	endings []ending // one for each connection
	reads   int64
	expired uint64 // timeouts
	left    int    // timeouts pending when all connections had ended
}

func newSide(s *server, left int) side {
	return side{s.name, s.endings, s.reads.Load(), s.timer.Stats().Expired, left}
}

// verdict returns the promises that did not hold, or nil.
func (r *report) verdict() error {
	var checks example.Checks
	connections := 0
	for _, s := range r.sides {
		s.check(&checks)
		connections += len(s.endings)
	}
	checks.That(connections == r.clients, "%d clients, but %d connections served", r.clients, connections)
	checks.That(r.after <= r.before, "%d goroutines after shutdown, %d at start", r.after, r.before)
	return checks.Err()
}

// check checks one side.
//
// A talking connection that was closed counts as wrong only if that was early. If a stalled
// machine kept its client silent for the whole idle time, the close is right.
func (s side) check(checks *example.Checks) {
	for _, e := range s.endings {
		checks.That(e.err == nil, "%s: a connection broke: %w", s.name, e.err)
		early := e.idle && e.late < 0
		checks.That(!early || e.last != last, "%s: an idle connection was closed %v early", s.name, -e.late)
		checks.That(!early || e.last == last, "%s: a talking connection was closed, %v before it could be idle", s.name, -e.late)
	}
	_, _, _, forgotten := s.count()
	checks.That(forgotten == 0, "%s: %d idle connections were not closed at all", s.name, forgotten)
	checks.That(s.left == 0, "%s: %d timeouts outlived their connections", s.name, s.left)
}

// print prints a table with a column for each side.
func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	row := func(label string, cell func(side) any) {
		fmt.Fprint(t, label)
		for _, s := range r.sides {
			fmt.Fprint(t, "\t", cell(s))
		}
		fmt.Fprintln(t)
	}
	fmt.Fprintln(t)
	row("", func(s side) any { return s.name })
	row("silent, closed", func(s side) any { late, _, stalled, _ := s.count(); return len(late) - stalled })
	row("talking, kept", func(s side) any { _, kept, _, _ := s.count(); return kept })
	if slices.ContainsFunc(r.sides, func(s side) bool { _, _, stalled, _ := s.count(); return stalled > 0 }) {
		row("talking, closed because the machine stalled", func(s side) any { _, _, stalled, _ := s.count(); return stalled })
	}
	row("reads", func(s side) any { return s.reads })
	row("timeouts expired", func(s side) any { return s.expired })
	row("closed late by, median", func(s side) any { return s.lateness(50) })
	row("closed late by, most", func(s side) any { return s.lateness(100) })
}

// summarize prints the two lines that README.md quotes.
func (r *report) summarize(w io.Writer, idle time.Duration) {
	var closed, kept int
	var reads int64
	var expired uint64
	var latest time.Duration
	for _, s := range r.sides {
		late, stayed, _, _ := s.count()
		closed, kept, reads, expired = closed+len(late), kept+stayed, reads+s.reads, expired+s.expired
		if len(late) > 0 {
			latest = max(latest, slices.Max(late))
		}
	}
	fmt.Fprintf(w, "\nok: %d connections were closed after %v of silence, none early, the latest %v late; %d talking ones were kept\n",
		closed, idle, latest.Round(time.Millisecond), kept)
	fmt.Fprintf(w, "gained: %d reads without a SetReadDeadline; %d timeouts expired instead, on %d timers\n", reads, expired, len(r.sides))
}

// count returns how late each idle close was, how many connections were kept, how many were
// closed although the client meant to go on, and how many stayed open although they were idle.
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

// lateness returns the given percentile of the lateness of the idle closes.
func (s side) lateness(percent int) string {
	late, _, _, _ := s.count()
	if len(late) == 0 {
		return "none"
	}
	slices.Sort(late)
	return late[(len(late)-1)*percent/100].Round(10 * time.Microsecond).String()
}
