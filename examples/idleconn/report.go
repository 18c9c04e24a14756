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
	endings       []ending // one a connection
	reads, moved  int64
	left          int // timeouts pending when all connections had ended
	before, after int // goroutines
}

// newReport gathers the report once the server and the timer have been shut down.
func newReport(cfg config, srv *server, left, before int) *report {
	return &report{
		clients: cfg.clients,
		endings: srv.endings,
		reads:   srv.reads.Load(),
		moved:   srv.moved.Load(),
		left:    left,
		before:  before,
		after:   settle(before),
	}
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
//
// A talking client that was closed counts as wrong only if that was early. If a
// stalled machine kept it from talking for the whole idle time, the close is right.
func (r *report) verdict() error {
	var errs []error
	wrong := func(format string, args ...any) { errs = append(errs, fmt.Errorf(format, args...)) }
	for _, e := range r.endings {
		switch {
		case e.err != nil:
			wrong("a connection broke: %w", e.err)
		case e.idle && e.late < 0 && e.last == last:
			wrong("an idle connection was closed %v early", -e.late)
		case e.idle && e.late < 0:
			wrong("a talking connection was closed, %v before it could be idle", -e.late)
		}
	}
	if _, _, _, forgotten := r.count(); forgotten > 0 {
		wrong("%d idle connections were not closed at all", forgotten)
	}
	if len(r.endings) != r.clients {
		wrong("%d clients, but %d connections served", r.clients, len(r.endings))
	}
	if r.left > 0 {
		wrong("%d timeouts outlived their connections", r.left)
	}
	if r.after > r.before {
		wrong("%d goroutines after shutdown, %d at start", r.after, r.before)
	}
	return first(errs, 5)
}

// first joins the first n errors and says how many more there are.
func first(errs []error, n int) error {
	if more := len(errs) - n; more > 0 {
		errs = append(errs[:n:n], fmt.Errorf("and %d more", more))
	}
	return errors.Join(errs...)
}

func (r *report) print(w io.Writer) {
	late, kept, stalled, forgotten := r.count()
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t)
	fmt.Fprintf(t, "connections closed as idle\t%d\n", len(late))
	fmt.Fprintf(t, "connections kept\t%d\n", kept)
	if forgotten > 0 {
		fmt.Fprintf(t, "connections forgotten\t%d\n", forgotten)
	}
	if stalled > 0 {
		fmt.Fprintf(t, "closed while talking, but stalled for the idle time\t%d\n", stalled)
	}
	fmt.Fprintf(t, "reads served\t%d\n", r.reads)
	fmt.Fprintf(t, "timeouts moved\t%d\n", r.moved)
	fmt.Fprintf(t, "lateness of the idle closes\t%s\n", spread(late))
	fmt.Fprintf(t, "goroutines after shutdown\t%d (%d at start)\n", r.after, r.before)
}

// count returns how late each idle close was, how many connections were kept,
// how many of those closed had meant to go on talking, and how many that were
// idle nobody closed.
func (r *report) count() (late []time.Duration, kept, stalled, forgotten int) {
	for _, e := range r.endings {
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

// spread describes durations by their minimum, median, 99th percentile and maximum.
func spread(d []time.Duration) string {
	if len(d) == 0 {
		return "none"
	}
	slices.Sort(d)
	at := func(percent int) time.Duration {
		return d[(len(d)-1)*percent/100].Round(10 * time.Microsecond)
	}
	return fmt.Sprintf("min %v, p50 %v, p99 %v, max %v", at(0), at(50), at(99), at(100))
}
