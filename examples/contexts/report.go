package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A report is what came of many contexts and timeouts.
type report struct {
	made, cancelled int
	late            []time.Duration // of those that the wheel ended
	tied, stopped   int             // timeouts tied to a context that was cancelled
	ran             int64           // of the tied
	left            int             // timeouts pending when all had ended
}

// limitMany makes contexts, cancels every second one, and waits for the others.
func limitMany(tm *hashedwheel.Timer, cfg config) *report {
	var mu sync.Mutex
	var late []time.Duration
	cancelled := 0
	for i := range cfg.contexts {
		start := time.Now()
		ctx, cancel := withLimit(context.Background(), tm, cfg.limit)
		if i%2 == 1 {
			cancel()
			if ctx.Err() == context.Canceled {
				cancelled++
				continue
			} // else this machine was stalled for the whole limit
		}
		context.AfterFunc(ctx, func() {
			took := time.Since(start)
			cancel()
			mu.Lock()
			defer mu.Unlock()
			late = append(late, took-cfg.limit)
		})
	}
	until(cfg.limit+grace, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return len(late)+cancelled == cfg.contexts
	})
	mu.Lock()
	defer mu.Unlock()
	return &report{made: cfg.contexts, cancelled: cancelled, late: slices.Clone(late)}
}

// verdict returns what went wrong, or nil.
func (r *report) verdict() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	if len(r.late) > 0 {
		check(slices.Min(r.late) >= 0, "a context ended %v early", -slices.Min(r.late))
	}
	check(len(r.late)+r.cancelled == r.made, "%d contexts made, but %d ended by the wheel and %d cancelled",
		r.made, len(r.late), r.cancelled)
	check(r.stopped == r.tied, "%d timeouts tied to a context that was cancelled, but %d stopped", r.tied, r.stopped)
	check(r.ran == 0, "%d timeouts ran though they were stopped", r.ran)
	check(r.left == 0, "%d timeouts left", r.left)
	return errors.Join(errs...)
}

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t)
	fmt.Fprintf(t, "contexts made\t%d\n", r.made)
	fmt.Fprintf(t, "cancelled before\t%d\n", r.cancelled)
	fmt.Fprintf(t, "ended by the wheel\t%d\n", len(r.late))
	fmt.Fprintf(t, "lateness\t%s\n", example.Spread(r.late))
	fmt.Fprintf(t, "timeouts tied to one context\t%d\n", r.tied)
	fmt.Fprintf(t, "stopped when it was cancelled\t%d\n", r.stopped)
	fmt.Fprintf(t, "timeouts left\t%d\n", r.left)
}
