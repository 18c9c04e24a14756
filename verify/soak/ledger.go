package main

import (
	"fmt"
	"sync"
	"sync/atomic"
)

// outcome is how an arming ended. Each has one.
type outcome int

const (
	expired    outcome = iota // its task ran
	canceled                  // Timeout.Stop said true
	returned                  // Timer.Stop returned it
	rejected                  // its Timeout was Rejected, or Schedule gave an error
	superseded                // a Reset said that it was pending, and began another
	outcomes
)

var outcomeNames = [outcomes]string{"expired", "canceled", "returned by Timer.Stop", "rejected", "superseded by Reset"}

// kind is where an arming came from.
type kind int

const (
	fromAfterFunc kind = iota
	fromSchedule
	fromOwner     // Init, Reset and ResetAt of a Timeout of the caller's own
	fromContested // the same, by several goroutines at a time
	fromEvery
	kinds
)

var kindNames = [kinds]string{"from AfterFunc", "from Schedule", "owned", "owned, contested", "series of Every"}

// ledger counts the armings of a timer and their outcomes. It is safe for
// concurrent use.
type ledger struct{ pages [kinds]page }

type page struct {
	armings  atomic.Int64
	outcomes [outcomes]atomic.Int64
	_        [80]byte // keeps the kinds' counters apart
}

func (l *ledger) arm(k kind) { l.pages[k].armings.Add(1) }

func (l *ledger) settle(k kind, o outcome) { l.pages[k].outcomes[o].Add(1) }

// add adds the counts of another ledger, which must not change any more.
func (l *ledger) add(other *ledger) {
	for k := range other.pages {
		l.pages[k].armings.Add(other.pages[k].armings.Load())
		for o := range other.pages[k].outcomes {
			l.pages[k].outcomes[o].Add(other.pages[k].outcomes[o].Load())
		}
	}
}

func (l *ledger) armings() (n int64) {
	for k := range l.pages {
		n += l.pages[k].armings.Load()
	}
	return n
}

func (l *ledger) sum(o outcome) (n int64) {
	for k := range l.pages {
		n += l.pages[k].outcomes[o].Load()
	}
	return n
}

// unsettled returns how many armings of a kind have no outcome.
func (l *ledger) unsettled(k kind) int64 {
	n := l.pages[k].armings.Load()
	for o := range l.pages[k].outcomes {
		n -= l.pages[k].outcomes[o].Load()
	}
	return n
}

func (l *ledger) allUnsettled() (n int64) {
	for k := range kinds {
		n += l.unsettled(k)
	}
	return n
}

// faults are the differences: how many, and the first case of each sort.
type faults struct {
	mu   sync.Mutex
	list []*fault // guarded by mu
}

type fault struct {
	lane, what, first string
	n                 int64
}

// add notes n cases of what went wrong, with a word on this one.
func (f *faults) add(lane string, n int64, what, detail string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, known := range f.list {
		if known.lane == lane && known.what == what {
			known.n += n
			return
		}
	}
	f.list = append(f.list, &fault{lane, what, detail, n})
}

// lines returns a line for each sort of fault, none if all balances.
func (f *faults) lines() (lines []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.list {
		lines = append(lines, fmt.Sprintf("%-10s %s: %s (the first: %s)", one.lane, one.what, times(one.n), one.first))
	}
	return lines
}

func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return grouped(n) + " times"
}
