package main

import (
	"context"
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
	jobs, ran, twice int
	byWorker         map[string]int
	held, returned   int
	onTime, late     []time.Duration
	kept             uint64 // jobs that are still in the stream
}

// report gathers the report once all workers have ended.
func (d *demo) report(ctx context.Context) *report {
	j := d.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	r := &report{
		jobs: d.cfg.jobs, ran: len(j.ran), byWorker: j.byWorker,
		held: d.held, returned: d.returned,
		onTime: j.onTime, late: j.late,
		kept: d.kept(ctx),
	}
	for _, times := range j.ran {
		if times > 1 {
			r.twice++
		}
	}
	return r
}

// kept returns how many jobs the stream still has, once they are none or will not
// become fewer: an acknowledgement takes a moment.
func (d *demo) kept(ctx context.Context) (n uint64) {
	waitFor(patience, func() bool {
		stream, err := d.js.Stream(ctx, streamName) // asks for the state, too
		if err != nil {
			return false
		}
		n = stream.CachedInfo().State.Msgs
		return n <= uint64(d.cfg.jobs-len(d.journal.ran))
	})
	return n
}

// verdict returns what went wrong, or nil.
func (r *report) verdict() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	check(r.ran == r.jobs, "%d jobs lost of %d", r.jobs-r.ran, r.jobs)
	check(r.kept == 0, "%d jobs ran and are still in the stream", r.kept)
	check(r.held > 0, "the killed worker held no job")
	check(r.returned > 0, "the worker that was told to end gave nothing back")
	check(len(r.late) >= r.held, "%d jobs taken over, of %d that the killed worker held", len(r.late), r.held)
	if all := append(slices.Clone(r.onTime), r.late...); len(all) > 0 {
		check(slices.Min(all) >= 0, "a job ran %v early", -slices.Min(all))
	}
	return errors.Join(errs...)
}

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t)
	fmt.Fprintf(t, "jobs run by one, two, three\t%d, %d, %d\n", r.byWorker["one"], r.byWorker["two"], r.byWorker["three"])
	fmt.Fprintf(t, "jobs lost\t%d\n", r.jobs-r.ran)
	fmt.Fprintf(t, "jobs run twice\t%d\n", r.twice)
	fmt.Fprintf(t, "jobs taken over from the killed worker\t%d of %d\n", len(r.late), r.held)
	fmt.Fprintf(t, "lateness of these\t%s\n", example.Spread(r.late))
	fmt.Fprintf(t, "lateness of the others\t%s\n", example.Spread(r.onTime))
}
