package hashedwheel

import (
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/spread"
)

// Sampled is a pending timeout that Sample has found. It is a value: nobody can stop or move the timeout by it.
type Sampled struct {
	Deadline time.Time
	Task     Task // as Timeout.Task returns it
}

// Sample returns at most n of the pending timeouts, chosen at random and each as likely as any other, or
// all of them if there are no more than n. It may miss a timeout that is armed or moved while Sample runs.
//
// For any n Sample visits all pending timeouts: a million take 20 ms, or 200 ms if they are scattered in
// memory. The worker waits for no more than 256 of these visits at a time.
func (tm *Timer) Sample(n int) []Sampled {
	if n <= 0 {
		return nil
	}
	tm.worker.drainAll()
	tm.sampling.Lock() // the wheel has one cursor
	defer tm.sampling.Unlock()
	s := sample{want: n, seen: make(map[*Timeout]bool)}
	for more := true; more; {
		more = tm.samplePortion(&s)
		more = s.keep() && more
		if more && tm.worker.wanted.Load() < tm.time.checkIn() { // the worker waits, or will within a millisecond
			runtime.Gosched() // otherwise this goroutine may get the lock again and again, for a millisecond
		}
	}
	sampled := make([]Sampled, len(s.found))
	for i, t := range s.found {
		sampled[i] = Sampled{t.Deadline(), t.task}
	}
	return sampled
}

func (tm *Timer) samplePortion(s *sample) (more bool) {
	g := &tm.worker.guarded
	g.Lock()
	defer g.Unlock()
	if s.picked == nil { // the first hold
		_, pending := g.look()
		s.start(&g.wheel, pending)
		for _, t := range g.batch {
			s.visit(t) // it is in no slot
		}
	}
	return s.walk(&g.wheel)
}

// sample is a walk through all pending timeouts. Each hold of the lock goes on at the wheel's cursor.
type sample struct {
	want  int
	found []*Timeout
	seen  map[*Timeout]bool // the timeouts of found, since a timeout that is filed again may be met again

	picker      spread.Picker
	level, slot int // the next slot to enter; downward, since the worker files nearly all again further down

	picked []*Timeout // in one hold of the lock; uses space, since an allocation would prolong the hold
	space  [portion + batchSize]*Timeout
}

func (s *sample) start(w *hashedWheel, pending int) {
	s.picker = spread.New(s.want, max(1, pending))
	s.picked = s.space[:0]
	s.level = len(w.levels) - 1
	w.cursor = nil
}

// walk visits a portion, and reports whether timeouts are left.
func (s *sample) walk(w *hashedWheel) (more bool) {
	for range portion {
		if w.cursor == nil && !s.enter(w) {
			return false
		}
		s.visit(w.cursor)
		w.cursor = w.cursor.successor()
	}
	return true
}

func (s *sample) visit(t *Timeout) {
	if t.State() == Pending && s.picker.Visit() {
		s.picked = append(s.picked, t)
	}
}

// enter puts the cursor at the head of the next occupied slot, and reports whether there is one.
func (s *sample) enter(w *hashedWheel) bool {
	for ; s.level >= 0; s.level-- {
		l := w.levels[s.level]
		if i := l.occupied.Next(s.slot); i >= 0 {
			s.slot = i + 1
			w.cursor = l.slots[i].first()
			return true
		}
		s.slot = 0
	}
	return false
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
