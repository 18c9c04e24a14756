package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A report compares the workers' tally with the timer's Stats.
type report struct {
	tally
	hashedwheel.Stats // from the last read of the page
	looks             int
	decreased         []string
	overdue           time.Duration // greatest on the page
	left              int           // timeouts pending when all should have ended
}

func newReport(t tally, c *collector, left int) *report {
	return &report{tally: t, Stats: c.last, looks: c.looks, decreased: c.decreased, overdue: c.overdue, left: left}
}

// verdict returns the promises that did not hold, or nil.
func (r *report) verdict() error {
	var checks example.Checks
	equal := func(what string, tally, stats uint64) {
		checks.That(tally == stats, "%s: %d by the workers' tally, %d by Stats", what, tally, stats)
	}
	equal("pending", 0, uint64(r.Pending))
	equal("armed", r.armed, r.Expired+r.Canceled+r.Rejected)
	equal("rejected", r.rejected, r.Rejected)
	equal("canceled", r.stopped, r.Canceled)
	checks.That(r.Panics <= r.Expired && r.Panics <= r.panicking, "%d panics of %d tasks that may panic", r.Panics, r.panicking)
	checks.That(len(r.decreased) == 0, "a counter has decreased: %s", strings.Join(r.decreased, ", "))
	checks.That(r.looks >= 2, "the page was read %d times only", r.looks)
	checks.That(r.left == 0, "%d timeouts left", r.left)
	return checks.Err()
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
	fmt.Fprintf(t, "canceled\t%d\n", r.Canceled)
	fmt.Fprintf(t, "rejected\t%d\n", r.Rejected)
	fmt.Fprintf(t, "tasks that panicked\t%d\n", r.Panics)
	fmt.Fprintf(t, "wake-ups\t%d\n", r.Wakeups)
	fmt.Fprintf(t, "greatest lag\t%v\n", r.MaxLag.Round(10*time.Microsecond))
	fmt.Fprintf(t, "greatest overdue\t%v\n", r.overdue.Round(10*time.Microsecond))
	fmt.Fprintf(t, "reads of the page\t%d\n", r.looks)
	fmt.Fprintf(t, "decreased\t%s\n", decreased)
}
