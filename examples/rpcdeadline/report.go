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
	lost                            int // calls that never ended
	twice                           int64
	dropped, sent                   int64 // late answers; all answers
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

// verdict returns the promises that did not hold, or nil.
func (r *report) verdict() error {
	var checks example.Checks
	checks.That(r.lost == 0, "%d calls never ended", r.lost)
	checks.That(r.twice == 0, "%d calls ended twice", r.twice)
	checks.That(r.wrong == 0, "%d calls got the answer to another", r.wrong)
	checks.That(r.failed == 0, "%d calls failed: %v", r.failed, r.reason)
	checks.NotEarly("a call failed", r.late)
	checks.That(r.ended() == r.started, "%d calls begun, %d ended", r.started, r.ended())
	checks.That(r.armed == r.stopped+r.expired,
		"%d timeouts armed, but %d stopped and %d expired", r.armed, r.stopped, r.expired)
	checks.That(r.stopped+r.dropped == r.sent,
		"%d answers sent, but %d calls stopped and %d answers dropped", r.sent, r.stopped, r.dropped)
	checks.That(r.left == 0, "%d timeouts outlived their calls", r.left)
	return checks.Err()
}

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t)
	fmt.Fprintf(t, "calls answered\t%d\n", r.answered)
	fmt.Fprintf(t, "deadlines exceeded\t%d\n", len(r.late))
	fmt.Fprintf(t, "late answers dropped\t%d\n", r.dropped)
	fmt.Fprintf(t, "exceeded by\t%s\n", example.Spread(r.late))
	fmt.Fprintf(t, "timeouts armed\t%d\n", r.armed)
	fmt.Fprintf(t, "timeouts stopped\t%d\n", r.stopped)
	fmt.Fprintf(t, "timeouts expired\t%d\n", r.expired)
	fmt.Fprintf(t, "call structs made by the pool\t%d\n", r.pooled)
	fmt.Fprintf(t, "allocations for the timeout of a call\t%.3f\n", r.allocs)
}
