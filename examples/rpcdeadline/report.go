package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A report is what came of a run.
type report struct {
	tally
	lost                            int // calls that never ended
	twice                           int64
	dropped, sent                   int64 // answers that nobody waited for; answers in all
	armed, stopped, expired, pooled int64
	left                            int // timeouts pending when all calls had ended
	allocs                          float64
}

// newReport gathers the report once the client and the server have been closed.
func newReport(l *load, srv *server, lost, left int, allocs float64) *report {
	cl := l.client
	return &report{
		tally:   l.sum(),
		lost:    lost,
		twice:   cl.twice.Load(),
		dropped: cl.dropped.Load(),
		sent:    srv.sent.Load(),
		armed:   cl.armed.Load(),
		stopped: cl.stopped.Load(),
		expired: cl.expired.Load(),
		pooled:  cl.made.Load(),
		left:    left,
		allocs:  allocs,
	}
}

// verdict returns what went wrong, or nil.
func (r *report) verdict() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(r.lost == 0, "%d calls never ended", r.lost)
	check(r.twice == 0, "%d calls ended twice", r.twice)
	check(r.wrong == 0, "%d calls got the answer to another", r.wrong)
	check(r.failed == 0, "%d calls failed: %v", r.failed, r.reason)
	early := slices.DeleteFunc(slices.Clone(r.late), func(d time.Duration) bool { return d >= 0 })
	if len(early) > 0 {
		check(false, "%d calls failed early, one by %v", len(early), -slices.Min(early))
	}
	check(r.ended() == r.started, "%d calls begun, %d ended", r.started, r.ended())
	check(r.armed == r.stopped+r.expired,
		"%d timeouts armed, but %d stopped and %d expired", r.armed, r.stopped, r.expired)
	check(r.stopped+r.dropped == r.sent,
		"%d answers sent, but %d calls stopped and %d answers dropped", r.sent, r.stopped, r.dropped)
	check(r.left == 0, "%d timeouts outlived their calls", r.left)
	return errors.Join(errs...)
}

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t)
	fmt.Fprintf(t, "calls answered\t%d\n", r.answered)
	fmt.Fprintf(t, "deadlines exceeded\t%d\n", len(r.late))
	fmt.Fprintf(t, "late answers dropped\t%d\n", r.dropped)
	fmt.Fprintf(t, "lateness of the exceeded\t%s\n", example.Spread(r.late))
	fmt.Fprintf(t, "timeouts armed\t%d\n", r.armed)
	fmt.Fprintf(t, "timeouts stopped\t%d\n", r.stopped)
	fmt.Fprintf(t, "timeouts expired\t%d\n", r.expired)
	fmt.Fprintf(t, "calls allocated by the pool\t%d\n", r.pooled)
	fmt.Fprintf(t, "allocations a call for its timeout\t%.3f\n", r.allocs)
}
