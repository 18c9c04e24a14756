package main

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/anishathalye/porcupine"
)

// summary counts kinds of calls and histories, to show that there was anything to check.
type summary struct {
	kinds     []tally // as kinds
	undecided int     // for the checker within its limit
}

// tally is of the histories of one kind.
type tally struct {
	histories int
	spent     time.Duration
	events    int // calls and expiries
	calls     int // of several goroutines together ...
	overlaps  int // ... that overlapped another on the same timeout
	close     int // expiries with a call on the same timeout within closeBy
	unordered int // histories that the order of the returns does not explain

	begun, moved                        int // armings
	expired, stopped, returned, refused int // their outcomes
}

const closeBy = 5 * time.Microsecond

func newSummary() *summary { return &summary{kinds: make([]tally, len(kinds))} }

// next returns the kind that has had the least time: kinds that wait for nothing make the most
// histories.
func (s *summary) next(only []int) int {
	return slices.MinFunc(only, func(a, b int) int { return cmp.Compare(s.kinds[a].spent, s.kinds[b].spent) })
}

func (s *summary) add(kind int, h *history, v verdict, spent time.Duration) {
	if v.result == porcupine.Unknown {
		s.undecided++
	}
	t := &s.kinds[kind]
	t.histories++
	t.spent += spent
	t.events += len(h.events)
	if !explainsInOrder(v.points, h.plan.maxPending) {
		t.unordered++
	}
	begun, ended := t.begun, t.expired+t.stopped+t.returned
	for i, e := range h.events {
		t.count(e)
		if e.what == run {
			e.call, e.ret = e.ret-int64(closeBy), e.ret+int64(closeBy)
			t.close += ofBool(meets(h.events, i, e))
		} else if e.client != first {
			t.calls++
			t.overlaps += ofBool(meets(h.events, i, e))
		}
	}
	t.refused += t.begun - begun - (t.expired + t.stopped + t.returned - ended) // all is settled, so the rest was
}

func (t *tally) count(e event) {
	switch e.what {
	case run:
		t.expired++
	case stop:
		t.stopped += ofBool(e.yes)
	case reset:
		t.moved += ofBool(e.yes)
		t.begun += ofBool(!e.yes)
	case move:
		t.moved += ofBool(e.yes)
	case schedule, afterFunc:
		t.begun++
	case timerStop:
		for _, n := range e.in {
			t.returned += int(n)
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

func (t *tally) plus(other tally) {
	t.histories += other.histories
	t.events += other.events
	t.calls += other.calls
	t.overlaps += other.overlaps
	t.close += other.close
	t.unordered += other.unordered
	t.begun += other.begun
	t.moved += other.moved
	t.expired += other.expired
	t.stopped += other.stopped
	t.returned += other.returned
	t.refused += other.refused
}

func (s *summary) all() (all tally) {
	for _, t := range s.kinds {
		all.plus(t)
	}
	return all
}

func (s *summary) print(w io.Writer) {
	fmt.Fprintf(w, "%-22s%10s%10s%13s%13s%14s\n",
		"kind", "histories", "events", "overlapping", "near expiry", "not in order")
	all := s.all()
	for i, t := range s.kinds {
		t.print(w, kinds[i].name)
	}
	all.print(w, "all")
	fmt.Fprintf(w, "armings begun %d, moved %d; expired %d, stopped %d, returned by Timer.Stop %d, refused %d\n",
		all.begun, all.moved, all.expired, all.stopped, all.returned, all.refused)
	fmt.Fprintf(w, "histories undecided %d\n", s.undecided)
}

func (t tally) print(w io.Writer, name string) {
	if t.histories > 0 {
		fmt.Fprintf(w, "%-22s%10d%10d%12.1f%%%12.1f%%%13.1f%%\n", name, t.histories, t.events,
			percent(t.overlaps, t.calls), percent(t.close, t.expired), percent(t.unordered, t.histories))
	}
}

func percent(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }

func ofBool(b bool) int {
	if b {
		return 1
	}
	return 0
}
