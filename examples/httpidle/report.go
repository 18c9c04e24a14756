package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A report is the result of a run.
type report struct {
	tally
	clients                  int
	dials, answered, tooSlow int64
	wrong                    []error
	left                     int // timeouts pending when all connections had ended
}

// newReport gathers the report once the server and the timer have been shut down.
func newReport(srv *server, c *group, left int) *report {
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

// verdict returns the promises that did not hold, or nil.
//
// A stalled machine may keep a client silent for the idle time. Then the close is right, and so
// is the error of the request that was lost with the connection.
func (r *report) verdict() error {
	var checks example.Checks
	checks.NotEarly("a connection was closed", r.idle)
	checks.NotEarly("a request was cut short", r.cut)
	checks.That(r.forgotten == 0, "%d idle connections were not closed", r.forgotten)
	if len(r.wrong) > r.stalled {
		checks.That(false, "%d requests went wrong, one: %w", len(r.wrong), r.wrong[0])
	}
	checks.That(r.tooSlow > 0, "no request exceeded its deadline")
	checks.That(r.left == 0, "%d timeouts outlived their connections", r.left)
	return checks.Err()
}

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t)
	fmt.Fprintf(t, "connections made\t%d\n", r.dials)
	fmt.Fprintf(t, "connections closed as idle\t%d\n", len(r.idle))
	if r.stalled > 0 {
		fmt.Fprintf(t, "of these, closed because the machine stalled\t%d\n", r.stalled)
	}
	if r.forgotten > 0 {
		fmt.Fprintf(t, "silent connections not closed\t%d\n", r.forgotten)
	}
	fmt.Fprintf(t, "connections kept\t%d\n", r.kept)
	fmt.Fprintf(t, "closed late by\t%s\n", example.Spread(r.idle))
	fmt.Fprintf(t, "requests answered\t%d\n", r.answered)
	fmt.Fprintf(t, "deadlines exceeded\t%d\n", r.tooSlow)
	fmt.Fprintf(t, "exceeded by\t%s\n", example.Spread(r.cut))
}
