package hashedwheel

import (
	"math/rand/v2"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/taskname"
)

// Sampled describes a pending timeout, without access to it.
type Sampled struct {
	Deadline time.Time

	// Name is the result of the task's method TaskName() string, or the name of its function or type: see package
	// inspect.
	Name string
}

// Sample returns at most n of the pending timeouts, chosen at random and each as likely as any other, or all of them if
// there are no more than n. It may miss a timeout that is armed, or moved in the wheel, while Sample runs.
//
// For any n Sample visits nearly all pending timeouts: a million take 10 ms, or 90 ms if they are scattered in memory
// (bench, Sample). A name takes 0.3 µs, that of a function literal 1 µs. Sample holds the lock for 256 visits at a
// time, and not while it calls TaskName.
func (tm *Timer) Sample(n int) []Sampled {
	if n <= 0 {
		return nil
	}
	tm.time.checkMade()
	_, pending := tm.guarded.drainAll()
	s := newSample(tm, n, pending)
	for tm.guarded.samplePortion(s) {
	}
	sampled := make([]Sampled, 0, len(s.picked))
	for _, p := range s.picked {
		sampled = append(sampled, Sampled{tm.time.at(p.deadline), taskname.Placed(p.task)})
	}
	return sampled
}

func (g *guarded) samplePortion(s *sample) (more bool) {
	defer g.lock().Unlock()
	if s.level < 0 {
		s.level = len(g.wheel.levels) - 1
	}
	return s.walk(&g.wheel)
}

// sample is a walk through all pending timeouts: down the levels, since the worker files timeouts again in lower ones,
// and through a slot from its end to its front, like sift. A timeout that stays in its slot is visited at least once.
type sample struct {
	owner  *Timer
	want   int
	picked map[*Timeout]picked // preallocated: it seldom grows under the lock

	left   int // how many visits are still expected
	level  int // -1 before the first
	slot   int // the current slot; -1 before the first of a level
	unseen int // how many of its timeouts are still to be visited
}

// picked is what Sample shows of a timeout, read under the lock: its user may release it and clear it after that.
type picked struct {
	task     Task
	deadline int64
}

// newSample returns a walk that has not begun. It may visit more than pending timeouts, since others may be armed
// during the walk.
func newSample(owner *Timer, n, pending int) *sample {
	return &sample{
		owner: owner, want: n, left: pending, level: -1, slot: -1, picked: make(map[*Timeout]picked, min(n, pending)),
	}
}

// walk visits a portion, and reports whether more timeouts are left and wanted.
func (s *sample) walk(w *hashedWheel) (more bool) {
	for range portion {
		if len(s.picked) == s.want || !s.reach(w) {
			return false
		}
		s.unseen--
		s.visit(w.levels[s.level].at(s.slot, s.unseen))
	}
	return true
}

// visit picks t with the same probability as each timeout still to be visited: Knuth's algorithm S, TAOCP 3.4.2.
func (s *sample) visit(t *Timeout) {
	checkOwner(t, s.owner)
	w := t.load()
	if w.state() != Pending {
		return
	}
	if rand.IntN(max(1, s.left)) < s.want-len(s.picked) {
		s.picked[t] = picked{t.task, w.deadline()}
	}
	s.left--
}

// reach moves on to the next slot with a timeout that is still to be visited, and reports whether there is one.
func (s *sample) reach(w *hashedWheel) bool {
	for {
		l := w.levels[s.level]
		if s.slot >= 0 {
			s.unseen = min(s.unseen, l.slots.len(s.slot)) // others may have left
		}
		if s.unseen > 0 {
			return true
		}
		s.slot = l.occupied.Next(s.slot + 1)
		if s.slot >= 0 {
			s.unseen = l.slots.len(s.slot)
		} else if s.level == 0 {
			return false
		} else {
			s.level--
		}
	}
}
