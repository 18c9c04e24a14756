package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// summary counts calls and histories, to show that there was anything to check.
type summary struct {
	spent     []time.Duration // on each of kinds
	histories int
	undecided int // for the checker within its limit
	unordered int // histories that the order of the returns does not explain

	events   int // calls and expiries
	calls    int // of several goroutines together ...
	overlaps int // ... that overlapped another on the same timeout
	close    int // expiries with a call on the same timeout within closeBy

	begun, moved                        int // armings
	expired, stopped, returned, refused int // their outcomes
}

const closeBy = 5 * time.Microsecond

func newSummary() *summary { return &summary{spent: make([]time.Duration, len(kinds))} }

// next returns the kind that has had the least time: kinds that wait for nothing make the most
// histories.
func (s *summary) next(only []int) int {
	return slices.MinFunc(only, func(a, b int) int { return cmp.Compare(s.spent[a], s.spent[b]) })
}

func (s *summary) add(h *history, v verdict) {
	s.histories++
	s.undecided += ofBool(v.result == porcupine.Unknown)
	s.unordered += ofBool(!explainsInOrder(v.points, h.plan.maxPending))
	s.events += len(h.events)
	for i, e := range h.events {
		s.count(e)
		if e.what == run {
			e.call, e.ret = e.ret-int64(closeBy), e.ret+int64(closeBy)
			s.close += ofBool(meets(h.events, i, e))
		} else if e.client != first {
			s.calls++
			s.overlaps += ofBool(meets(h.events, i, e))
		}
	}
	s.refused = s.begun - s.expired - s.stopped - s.returned // all is settled, so the rest was
}

func (s *summary) count(e event) {
	switch e.what {
	case run:
		s.expired++
	case stop:
		s.stopped += ofBool(e.yes)
	case reset:
		s.moved += ofBool(e.yes)
		s.begun += ofBool(!e.yes)
	case move:
		s.moved += ofBool(e.yes)
	case schedule, afterFunc:
		s.begun++
	case timerStop:
		for _, n := range e.in {
			s.returned += int(n)
		}
	}
}

// meets reports whether a call of another goroutine overlaps e, the i-th event,
// on the same timeout. Timer.Stop is on all.
func meets(events []event, i int, e event) bool {
	for j, other := range events {
		same := e.timeout == other.timeout || e.what == timerStop || other.what == timerStop
		if j != i && other.what != run && same && (other.client != e.client || e.what == run) && e.overlaps(other) {
			return true
		}
	}
	return false
}

// explainsInOrder reports whether the specification allows the points in the
// order in which they ended: whether the history is as good as sequential.
func explainsInOrder(points []event, maxPending int) bool {
	inOrder := slices.SortedStableFunc(slices.Values(points), func(a, b event) int { return cmp.Compare(a.ret, b.ret) })
	m := specification(maxPending)
	s := m.Init()
	for _, e := range inOrder {
		ok := false
		if ok, s = m.Step(s, e, nil); !ok {
			return false
		}
	}
	return true
}

func (s *summary) print(w io.Writer) {
	fmt.Fprintf(w, "histories %d, undecided %d, not in order %d; ", s.histories, s.undecided, s.unordered)
	fmt.Fprintf(w, "calls and expiries %d, overlapping %d, near expiry %d\n", s.events, s.overlaps, s.close)
	fmt.Fprintf(w, "armings begun %d, moved %d; expired %d, stopped %d, returned by Timer.Stop %d, refused %d\n",
		s.begun, s.moved, s.expired, s.stopped, s.returned, s.refused)
}

func ofBool(b bool) int {
	if b {
		return 1
	}
	return 0
}
