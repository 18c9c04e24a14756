package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A report is the result of many contexts and timeouts.
type report struct {
	made, canceled int
	late           []time.Duration // of the contexts that the timer ended
	tied, stopped  int             // timeouts tied to a context that was canceled
	ran            int64           // tied timeouts that ran
	left           int             // timeouts pending when all had ended
}

// limitMany makes contexts, cancels every second one, and waits for the others.
func limitMany(tm *hashedwheel.Timer, cfg config) *report {
	var mu sync.Mutex
	var late []time.Duration
	canceled := 0
	for i := range cfg.contexts {
		start := time.Now()
		ctx, cancel := withLimit(context.Background(), tm, cfg.limit)
		if i%2 == 1 {
			cancel()
			if ctx.Err() == context.Canceled {
				canceled++
				continue
			} // otherwise the machine stalled for the whole limit
		}
		context.AfterFunc(ctx, func() {
			took := time.Since(start)
			cancel()
			mu.Lock()
			defer mu.Unlock()
			late = append(late, took-cfg.limit)
		})
	}
	example.Until(cfg.limit+grace, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(late)+canceled == cfg.contexts
	})
	mu.Lock()
	defer mu.Unlock()
	return &report{made: cfg.contexts, canceled: canceled, late: slices.Clone(late)}
}

// verdict returns the promises that did not hold, or nil.
func (r *report) verdict() error {
	var checks example.Checks
	checks.NotEarly("a context ended", r.late)
	checks.That(len(r.late)+r.canceled == r.made, "%d contexts made, but %d ended and %d canceled", r.made, len(r.late), r.canceled)
	checks.That(r.stopped == r.tied, "%d timeouts tied to a context that was canceled, but %d stopped", r.tied, r.stopped)
	checks.That(r.ran == 0, "%d timeouts ran though they were stopped", r.ran)
	checks.That(r.left == 0, "%d timeouts left", r.left)
	return checks.Err()
}

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t)
	fmt.Fprintf(t, "contexts made\t%d\n", r.made)
	fmt.Fprintf(t, "canceled before\t%d\n", r.canceled)
	fmt.Fprintf(t, "ended by the timer\t%d\n", len(r.late))
	fmt.Fprintf(t, "ended late by\t%s\n", example.Spread(r.late))
	fmt.Fprintf(t, "timeouts tied to one context\t%d\n", r.tied)
	fmt.Fprintf(t, "stopped when it was canceled\t%d\n", r.stopped)
	fmt.Fprintf(t, "timeouts left\t%d\n", r.left)
}
