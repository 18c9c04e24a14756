package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A report is the result of a run.
type report struct {
	limit, deadline  time.Duration
	fast, slow, hung int // calls
	failed           []error
	late, returned   []time.Duration
	expired          int // timeouts
	left             int // timeouts pending when all calls had returned
}

// report shuts the timer down and gathers the report.
func (l *load) report(timer *hashedwheel.Timer) (*report, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	left, err := timer.Shutdown(ctx) // waits until the late calls are reported

	l.mu.Lock()
	defer l.mu.Unlock()
	r := &report{
		limit: l.cfg.limit, deadline: l.cfg.deadline(),
		fast: l.calls[fast], slow: l.calls[slow], hung: l.calls[hung],
		failed: l.failed, late: l.late, returned: l.returned,
		expired: int(timer.Stats().Expired),
		left:    len(left),
	}
	return r, err
}

func (r *report) calls() int { return r.fast + r.slow + r.hung }

// verdict returns the promises that did not hold, or nil.
func (r *report) verdict() error {
	var checks example.Checks
	for _, err := range r.failed {
		checks.That(false, "%w", err)
	}
	checks.That(len(r.late) >= r.slow+r.hung, "%d calls reported late, but %d were", len(r.late), r.slow+r.hung)
	checks.That(len(r.late) == r.expired, "%d calls reported late, but %d timeouts expired", len(r.late), r.expired)
	checks.That(len(r.late) == len(r.returned), "%d calls reported late, of which %d returned", len(r.late), len(r.returned))
	checks.That(len(r.late) > 0, "no call was late, so nothing was shown")
	if len(r.late) > 0 {
		earliest := slices.Min(r.late)
		checks.That(earliest >= r.limit, "a call was reported after %v, before the limit of %v", earliest, r.limit)
	}
	checks.That(r.left == 0, "%d timeouts outlived their calls", r.left)
	return checks.Err()
}

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t)
	fmt.Fprintf(t, "calls watched\t%d, of them %d slow and %d hung\n", r.calls(), r.slow, r.hung)
	fmt.Fprintf(t, "calls reported late\t%d\n", len(r.late))
	fmt.Fprintf(t, "reported after\t%s\n", example.Spread(r.late))
	fmt.Fprintf(t, "returned after\t%s\n", example.Spread(r.returned))
}
