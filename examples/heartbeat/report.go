package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A report is the result of a run.
type report struct {
	peers, died   int
	noticed       []time.Duration // lateness of the deaths
	stalled       []time.Duration // lateness for living peers that a stalled machine kept silent
	missed        int             // deaths that were not noticed
	dials         int
	back          bool            // all peers reconnected after the outage
	beats         []time.Duration // lateness of the beats
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
	r.after = example.Goroutines(before)
	return r
}

// verdict returns the promises that did not hold, or nil.
//
// A living peer that was taken for dead counts as wrong only if that was early: a stalled
// machine may keep a peer silent for the whole timeout.
func (r *report) verdict() error {
	var checks example.Checks
	checks.NotEarly("a peer was taken for dead", slices.Concat(r.noticed, r.stalled))
	checks.That(r.missed == 0, "%d deaths were not noticed", r.missed)
	checks.That(r.back, "not all peers reconnected after the outage")
	checks.That(r.left == 0, "%d timeouts outlived their links", r.left)
	checks.That(r.after <= r.before, "%d goroutines after shutdown, %d at start", r.after, r.before)
	return checks.Err()
}

func (r *report) print(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintln(t)
	fmt.Fprintf(t, "peers\t%d\n", r.peers)
	fmt.Fprintf(t, "died\t%d\n", r.died)
	fmt.Fprintf(t, "noticed dead\t%d\n", len(r.noticed))
	if len(r.stalled) > 0 {
		fmt.Fprintf(t, "taken for dead because the machine stalled\t%d\n", len(r.stalled))
	}
	fmt.Fprintf(t, "noticed late by\t%s\n", example.Spread(r.noticed))
	fmt.Fprintf(t, "dials\t%d (%d at the start, %d in the outage and after it)\n", r.dials, r.peers, r.dials-r.peers)
	fmt.Fprintf(t, "beats received\t%d\n", r.received)
	fmt.Fprintf(t, "beats late by\t%s\n", example.Spread(r.beats))
	fmt.Fprintf(t, "goroutines after shutdown\t%d (%d at start)\n", r.after, r.before)
}
