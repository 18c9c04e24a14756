package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A report is the workers' books beside the timer's.
type report struct {
	tally
	hashedwheel.Stats // as last seen on the page
	looks             int
	decreased         []string
	overdue           time.Duration // the longest that was seen
	left              int           // timeouts pending when all were to have ended
}

func newReport(t tally, c *collector, left int) *report {
	return &report{tally: t, Stats: c.last, looks: c.looks, decreased: c.decreased, overdue: c.overdue, left: left}
}

// verdict returns what does not balance, or nil.
func (r *report) verdict() error {
	var errs []error
	equal := func(what string, ours, theirs uint64) {
		if ours != theirs {
			errs = append(errs, fmt.Errorf("%s: %d by the workers' books, %d by the timer's", what, ours, theirs))
		}
	}
	equal("pending", 0, uint64(r.Pending))
	equal("armed", r.armed, r.Expired+r.Cancelled+r.Rejected)
	equal("rejected", r.refused, r.Rejected)
	equal("cancelled", r.stopped, r.Cancelled)
	if r.Panics > r.Expired || r.Panics > r.panicking {
		errs = append(errs, fmt.Errorf("%d panics of %d tasks that could", r.Panics, r.panicking))
	}
	if len(r.decreased) > 0 {
		errs = append(errs, fmt.Errorf("a counter has decreased: %s", r.decreased[0]))
	}
	if r.looks < 2 {
		errs = append(errs, fmt.Errorf("the page was read %d times only", r.looks))
	}
	if r.left > 0 {
		errs = append(errs, fmt.Errorf("%d timeouts left", r.left))
	}
	return errors.Join(errs...)
}

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	decreased := "none"
	if len(r.decreased) > 0 {
		decreased = strings.Join(r.decreased, ", ")
	}
	fmt.Fprintln(t)
	fmt.Fprintf(t, "armed\t%d\n", r.armed)
	fmt.Fprintf(t, "expired\t%d\n", r.Expired)
	fmt.Fprintf(t, "cancelled\t%d\n", r.Cancelled)
	fmt.Fprintf(t, "rejected\t%d\n", r.Rejected)
	fmt.Fprintf(t, "tasks that panicked\t%d\n", r.Panics)
	fmt.Fprintf(t, "wake-ups\t%d\n", r.Wakeups)
	fmt.Fprintf(t, "latest batch\t%v late\n", r.MaxLag.Round(10*time.Microsecond))
	fmt.Fprintf(t, "longest overdue\t%v, as seen\n", r.overdue.Round(10*time.Microsecond))
	fmt.Fprintf(t, "looks at the page\t%d\n", r.looks)
	fmt.Fprintf(t, "decreased\t%s\n", decreased)
}
