package main

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A report is what came of a run.
type report struct {
	peers, died   int
	noticed       []time.Duration // of those that died, how late
	stalled       []time.Duration // of those that did not
	missed        int             // died and not noticed
	dials         int
	back          bool            // all came back after the outage
	beats         []time.Duration // after their points of the grid
	received      int64
	left          int // timeouts pending when all links had ended
	before, after int // goroutines
}

// newReport gathers the report once everything has been shut down.
func newReport(peers []*peer, m *monitor, back bool, left, before int) *report {
	r := &report{peers: len(peers), back: back, received: m.beats.Load(), left: left, before: before}
	noticed := map[uint32]bool{}
	for _, d := range m.deaths {
		if peers[d.id].died.Load() {
			r.noticed = append(r.noticed, d.late)
			noticed[d.id] = true
		} else {
			r.stalled = append(r.stalled, d.late)
		}
	}
	for _, p := range peers {
		r.beats = append(r.beats, p.late...)
		r.dials += p.dials
		if p.died.Load() {
			r.died++
			if !noticed[p.id] {
				r.missed++
			}
		}
	}
	r.after = settle(before)
	return r
}

// settle returns the number of goroutines once it is down to want, or will not
// come down: a goroutine that has done its work takes a moment to go.
func settle(want int) int {
	until(grace, func() bool { return runtime.NumGoroutine() <= want })
	return runtime.NumGoroutine()
}

// verdict returns what went wrong, or nil.
//
// A living peer that was taken for dead counts as wrong only if that was early.
// If a stalled machine kept it from beating for the whole timeout, that is right.
func (r *report) verdict() error {
	var errs []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, args...))
		}
	}
	if all := slices.Concat(r.noticed, r.stalled); len(all) > 0 {
		check(slices.Min(all) >= 0, "a peer was taken for dead %v early", -slices.Min(all))
	}
	check(r.missed == 0, "%d deaths were not noticed", r.missed)
	check(r.back, "not everybody came back after the outage")
	check(r.left == 0, "%d timeouts outlived their links", r.left)
	check(r.after <= r.before, "%d goroutines after shutdown, %d at start", r.after, r.before)
	return errors.Join(errs...)
}

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t)
	fmt.Fprintf(t, "peers\t%d\n", r.peers)
	fmt.Fprintf(t, "died\t%d\n", r.died)
	fmt.Fprintf(t, "noticed dead\t%d\n", len(r.noticed))
	if len(r.stalled) > 0 {
		fmt.Fprintf(t, "taken for dead, but stalled for the timeout\t%d\n", len(r.stalled))
	}
	fmt.Fprintf(t, "noticed late by\t%s\n", example.Spread(r.noticed))
	fmt.Fprintf(t, "connections made\t%d\n", r.dials)
	fmt.Fprintf(t, "beats received\t%d\n", r.received)
	fmt.Fprintf(t, "beats after their time\t%s\n", example.Spread(r.beats))
	fmt.Fprintf(t, "goroutines after shutdown\t%d (%d at start)\n", r.after, r.before)
}
