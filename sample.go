package hashedwheel

import (
	"math/rand/v2"
	"time"
)

// Sampled is a pending timeout that Sample has found. It is a value: nobody can stop or move the timeout by it.
type Sampled struct {
	Deadline time.Time
	Task     Task // as Timeout.Task returns it
}

// Sample returns at most n of the pending timeouts, chosen at random and each as likely as any other, or
// all of them if there are no more than n. It may miss a timeout that is armed while Sample runs, or that was moved and
// is filed elsewhere then.
//
// For any n Sample visits nearly all pending timeouts: a million take 20 ms, or 260 ms if they are scattered in
// memory. The lock is held for 256 of these visits at a time, and a worker that waits for it has its turn within a
// millisecond.
func (tm *Timer) Sample(n int) []Sampled {
	if n <= 0 {
		return nil
	}
	tm.time.checkMade()
	tm.guarded.drainAll()
	s := sample{owner: tm, want: n, seen: make(map[*Timeout]bool)}
	for more := true; more; {
		more = tm.guarded.samplePortion(&s)
		more = s.keep() && more
	}
	sampled := make([]Sampled, len(s.found))
	for i, t := range s.found {
		sampled[i] = Sampled{t.Deadline(), t.task}
	}
	return sampled
}

func (g *guarded) samplePortion(s *sample) (more bool) {
	defer g.lock().unlock()
	if s.picked == nil { // the first hold
		_, pending := g.look()
		s.start(&g.wheel, pending)
		for _, t := range g.batch {
			s.visit(t) // it is in no slot
		}
	}
	return s.walk(&g.wheel)
}

// sample is a walk through all pending timeouts: downward, since the worker files nearly all again further down, and
// through a slot from its end to its front, as thinSlot goes. A timeout that stays in its slot is visited once or more.
type sample struct {
	owner *Timer
	want  int
	found []*Timeout
	seen  map[*Timeout]bool // the timeouts of found, since a timeout may be visited again

	left   int // so many visits are expected still
	level  int
	slot   int // the slot under way, before the first of a level -1
	unseen int // so many of its timeouts are still to be visited

	picked []*Timeout // in one hold of the lock; uses space, since an allocation would prolong the hold
	space  [portion + batchSize]*Timeout
}

func (s *sample) start(w *hashedWheel, pending int) {
	s.left = pending
	s.picked = s.space[:0]
	s.level, s.slot, s.unseen = len(w.levels)-1, -1, 0
}

// walk visits a portion, and reports whether timeouts are left.
func (s *sample) walk(w *hashedWheel) (more bool) {
	for range portion {
		if !s.reach(w) {
			return false
		}
		s.unseen--
		s.visit(w.levels[s.level].at(s.slot, s.unseen))
	}
	return true
}

// visit picks t as likely as each timeout that is still to be visited: Knuth's algorithm S, TAOCP 3.4.2.
func (s *sample) visit(t *Timeout) {
	checkOwner(t, s.owner)
	if t.State() != Pending {
		return
	}
	if rand.IntN(max(1, s.left)) < s.want-len(s.found)-len(s.picked) {
		s.picked = append(s.picked, t)
	}
	s.left--
}

// reach goes on to the next slot with a timeout that is still to be visited, and reports whether there is one.
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

// keep adds the picked timeouts to found, and reports whether more are wanted.
func (s *sample) keep() bool {
	for _, t := range s.picked {
		if len(s.found) < s.want && !s.seen[t] {
			s.seen[t] = true
			s.found = append(s.found, t)
		}
	}
	s.picked = s.space[:0]
	return len(s.found) < s.want
}
