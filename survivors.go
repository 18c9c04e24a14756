package hashedwheel

import (
	"cmp"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/hook"
)

// survivors are timeouts that Timer.Stop has canceled, and whose tasks outlive the Timer, since goroutines wait for
// their channels. One time.AfterFunc at a time ends all due ones: one for each timeout would take three times the
// memory, and a goroutine each.
//
// No lock is needed: the call of Stop owns all, then each time.AfterFunc in turn. A task that has been stopped or armed
// again in between detects that itself, under its own lock.
type survivors struct {
	time  *timeline
	all   []survivor // sorted by begin
	from  int64      // ns: the time on the Timer's clock in begin; the time package counts from there
	begun time.Time  // the same moment on the system's clock
}

type survivor struct {
	deadline int64 // ns
	to       *Timeout
}

// outlive has the time package end timeouts that Timer.Stop has canceled. The Timer's clock may be the user's, and Stop
// does not wait for user code, so begin reads it.
func outlive(tl *timeline, canceled []*Timeout) {
	if len(canceled) == 0 {
		return
	}
	s := &survivors{time: tl, all: make([]survivor, 0, len(canceled))}
	for _, t := range canceled {
		if deadline := t.load().deadline(); deadline < maxDeadline {
			s.all = append(s.all, survivor{deadline, t})
		}
	}
	if tl.isManual || tl.isInside() { // no time passes, or only that of a foreign bubble
		for s.sort(); len(s.all) > 0; {
			s.endFirst(s.all[0].deadline)
		}
		return
	}
	time.AfterFunc(1, s.begin) // a delay of zero can crash the race detector in a bubble, golang/go#78156
}

func (s *survivors) begin() {
	s.sort()
	s.from, s.begun = s.time.now(), time.Now()
	s.run()
}

func (s *survivors) sort() {
	slices.SortFunc(s.all, func(a, b survivor) int { return cmp.Compare(a.deadline, b.deadline) })
}

// run ends the timeouts that are due, and has the time package call it again for the next.
func (s *survivors) run() {
	for len(s.all) > 0 {
		now := s.from + int64(time.Since(s.begun))
		if left := s.all[0].deadline - now; left > 0 {
			time.AfterFunc(time.Duration(left), s.run)
			return
		}
		s.endFirst(now)
	}
}

func (s *survivors) endFirst(now int64) {
	s.all[0].to.task.(hook.Unlisted).TimerStopped(s.time.at(now))
	s.all[0].to = nil // let the collector have it
	s.all = s.all[1:]
}
