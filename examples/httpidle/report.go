package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A report is what came of a run.
type report struct {
	tally
	clients                  int
	dials, answered, tooSlow int64
	wrong                    []error
	left                     int // timeouts pending when all connections had ended
}

// newReport gathers the report once the server and the timer have been shut down.
func newReport(srv *server, c *crowd, left int) *report {
	srv.mu.Lock()
	defer srv.mu.Unlock()
	return &report{
		tally:    srv.tally,
		clients:  len(c.all),
		dials:    c.dials.Load(),
		answered: c.answered.Load(),
		tooSlow:  c.tooSlow.Load(),
		wrong:    c.wrong,
		left:     left,
	}
}

// verdict returns what went wrong, or nil.
//
// A client that was closed while it still asked counts as wrong only if that was
// early. If a stalled machine kept it from asking for the idle time, the close is
// right, and so is the error that a request may have met with then.
func (r *report) verdict() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	if len(r.idle) > 0 {
		check(slices.Min(r.idle) >= 0, "a connection was closed %v early", -slices.Min(r.idle))
	}
	if len(r.cut) > 0 {
		check(slices.Min(r.cut) >= 0, "a request was cut short %v early", -slices.Min(r.cut))
	}
	check(r.forgotten == 0, "%d idle connections were not closed", r.forgotten)
	if len(r.wrong) > r.stalled {
		check(false, "%d requests went wrong, one: %w", len(r.wrong), r.wrong[0])
	}
	check(r.tooSlow > 0, "no request exceeded its deadline")
	check(r.left == 0, "%d timeouts outlived their connections", r.left)
	return errors.Join(errs...)
}

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t)
	fmt.Fprintf(t, "connections made\t%d\n", r.dials)
	fmt.Fprintf(t, "connections closed as idle\t%d\n", len(r.idle))
	fmt.Fprintf(t, "connections kept\t%d\n", r.kept)
	if r.forgotten > 0 {
		fmt.Fprintf(t, "connections forgotten\t%d\n", r.forgotten)
	}
	if r.stalled > 0 {
		fmt.Fprintf(t, "closed while asking, but stalled for the idle time\t%d\n", r.stalled)
	}
	fmt.Fprintf(t, "lateness of the idle closes\t%s\n", example.Spread(r.idle))
	fmt.Fprintf(t, "requests answered\t%d\n", r.answered)
	fmt.Fprintf(t, "deadlines exceeded\t%d\n", r.tooSlow)
	fmt.Fprintf(t, "lateness of the exceeded\t%s\n", example.Spread(r.cut))
}
