package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A report is what came of a run.
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
	left, err := timer.Shutdown(ctx) // waits until the late ones are reported

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

// verdict returns what went wrong, or nil.
func (r *report) verdict() error {
	errs := r.failed[:min(5, len(r.failed))]
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(len(r.late) >= r.slow+r.hung, "%d calls reported late, but %d were", len(r.late), r.slow+r.hung)
	check(len(r.late) == r.expired, "%d calls reported late, but %d timeouts expired", len(r.late), r.expired)
	check(len(r.late) == len(r.returned), "%d calls reported late, of which %d returned", len(r.late), len(r.returned))
	check(len(r.late) > 0, "no call was late, so nothing was shown")
	if len(r.late) > 0 {
		earliest := slices.Min(r.late)
		check(earliest >= r.limit, "a call was reported after %v, before the limit of %v", earliest, r.limit)
	}
	check(r.left == 0, "%d timeouts outlived their calls", r.left)
	return errors.Join(errs...)
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
