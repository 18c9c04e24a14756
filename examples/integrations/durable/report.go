package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A report is the result of a run.
type report struct {
	jobs, ran, twice int
	givenUp, panics  int
	long, longTwice  int           // jobs longer than a claim; how many of them ran twice
	clockOff         time.Duration // greatest difference of a worker's wall clock from the server's
	scheduled        []time.Duration
	byWorker         map[string]int
	held, returned   int
	onTime, late     []time.Duration
	kept             uint64 // jobs still in the stream
}

// report gathers the report once all workers have ended.
func (d *demo) report(ctx context.Context) *report {
	j := d.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	r := &report{
		jobs: d.cfg.jobs, ran: len(j.ran), byWorker: j.byWorker,
		givenUp: len(j.givenUp), panics: j.panics, clockOff: j.clockOff,
		held: d.held, returned: d.returned,
		onTime: j.onTime, late: j.late,
		kept: d.kept(ctx),
	}
	for i, times := range j.ran {
		if times > 1 {
			r.twice++
		}
		if d.cfg.long(i) {
			r.long++
			r.longTwice += min(times-1, 1)
		}
	}
	return r
}

// kept returns how many jobs are still in the stream. It waits for late acknowledgements.
func (d *demo) kept(ctx context.Context) (n uint64) {
	example.Until(patience, func() bool {
		stream, err := d.js.Stream(ctx, streamName) // fetches the state as well
		if err != nil {
			return false
		}
		n = stream.CachedInfo().State.Msgs
		return n <= uint64(d.cfg.jobs-len(d.journal.ran)-len(d.journal.givenUp))
	})
	return n
}

// verdict returns the promises that did not hold, or nil.
func (r *report) verdict() error {
	var checks example.Checks
	checks.That(r.ran+r.givenUp == r.jobs, "%d jobs lost of %d", r.jobs-r.ran-r.givenUp, r.jobs)
	checks.That(r.givenUp == 1, "%d jobs given up, but one always panics", r.givenUp)
	checks.That(r.kept == 0, "%d jobs ran and are still in the stream", r.kept)
	checks.That(r.held > 0, "the killed worker held no job")
	checks.That(r.returned > 0, "the ended worker gave nothing back")
	checks.That(len(r.late) >= r.held, "%d jobs taken over, of %d that the killed worker held", len(r.late), r.held)
	checks.NotEarly("a job ran", slices.Concat(r.onTime, r.late))
	return checks.Err()
}

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t)
	fmt.Fprintf(t, "jobs run by one, two, three\t%d, %d, %d\n", r.byWorker["one"], r.byWorker["two"], r.byWorker["three"])
	fmt.Fprintf(t, "jobs lost\t%d\n", r.jobs-r.ran-r.givenUp)
	fmt.Fprintf(t, "jobs given up\t%d, after %d panics\n", r.givenUp, r.panics)
	fmt.Fprintf(t, "jobs longer than a claim\t%d, of which %d ran twice\n", r.long, r.longTwice)
	fmt.Fprintf(t, "jobs run twice\t%d\n", r.twice)
	fmt.Fprintf(t, "jobs taken over from the killed worker\t%d of %d\n", len(r.late), r.held)
	fmt.Fprintf(t, "these late by\t%s\n", example.Spread(r.late))
	fmt.Fprintf(t, "the others late by\t%s\n", example.Spread(r.onTime))
	if r.scheduled != nil {
		fmt.Fprintf(t, "the server's own schedules late by\t%s\n", example.Spread(r.scheduled))
	}
	fmt.Fprintf(t, "wall clocks of the workers\tat most %v off the server's\n", r.clockOff.Round(10*time.Microsecond))
}
