package hashedwheel

import (
	"fmt"
	"math/rand/v2"

	"github.com/hashedwheel/hashedwheel/internal/invariants"
)

// checkedAlways is the size up to which a wheel is checked at every call, a larger one less often.
const checkedAlways = 1 << 11

// check is called after every change, if built with -tags invariants.
func (g *guarded) check() {
	if invariants.Enabled && !g.stopped {
		g.wheel.check()
	}
}

func (w *hashedWheel) check() {
	size := w.count
	for _, l := range w.levels {
		size += len(l.slots) / 64
	}
	if size <= checkedAlways || rand.IntN(size) < 8*portion { // a portion is filed between two checks
		w.checkAll()
	}
}

// checkAll panics if an invariant of the wheel is broken. Producers may change words at the same time, so
// each word is read once, and must satisfy conditions that no producer can break:
//   - A timeout that is filed has been armed and has not expired.
//   - If it is no longer pending it is queued: the next drain takes it out.
//   - If it is pending and not queued, it is filed no later than it is due: a move to earlier queues it.
func (w *hashedWheel) checkAll() {
	n, first := 0, int64(noTick)
	for k := range w.levels {
		filed, tick := w.checkLevel(k)
		n, first = n+filed, min(first, tick)
	}
	if n != w.count {
		broken("count is %d, but %d are filed", w.count, n)
	}
	if next := w.next(); next < w.current || next > first {
		broken("next is %d, current %d, the first tick filed under %d", next, w.current, first)
	}
}

func broken(format string, args ...any) {
	panic("hashedwheel: invariant: " + fmt.Sprintf(format, args...))
}

// checkLevel returns how many timeouts the occupied slots of level k hold, and their first tick.
func (w *hashedWheel) checkLevel(k int) (n int, first int64) {
	first = noTick
	l := w.levels[k]
	l.occupied.Check(broken)
	l.crowded.Check(broken)
	for i := l.occupied.Next(0); i >= 0; i = l.occupied.Next(i + 1) {
		s := &l.slots[i]
		held := s.check(func(t *Timeout) { first = min(first, w.checkFiled(t, k, i)) })
		if isMarked := l.crowded.Next(i) == i; held == 0 || held != s.n || held >= crowd && !isMarked {
			broken("level %d slot %d holds %d, counts %d; marked as a crowd: %t", k, i, held, s.n, isMarked)
		}
		n += held
	}
	for i := l.crowded.Next(0); i >= 0; i = l.crowded.Next(i + 1) {
		if l.slots[i].n < crowd {
			broken("level %d slot %d holds %d, and is marked as a crowd", k, i, l.slots[i].n)
		}
	}
	return n, first
}

// check panics if the list is not well linked. It hands each timeout to f, and returns how many.
func (b *bucket) check(f func(*Timeout)) (n int) {
	for link := &b.head; *link != nil; link = &(*link).next {
		t := *link
		if t.prev != link { // a list that runs into itself also ends here
			broken("timeout %d of a list does not point back at what points at it", n)
		}
		f(t)
		n++
	}
	return n
}

// checkFiled checks a timeout found in slot i of level k, and returns its tick.
func (w *hashedWheel) checkFiled(t *Timeout, k, i int) int64 {
	l, tick := w.levels[k], t.home.tick()
	number := tick >> l.shift
	if t.home.level() != k || l.index(number) != i {
		broken("level %d slot %d holds home %#x", k, i, int64(t.home))
	}
	ahead := number - w.current>>l.shift
	if tick < w.current || ahead >= int64(len(l.slots)) || ahead == 0 && number<<l.shift != w.current {
		broken("level %d holds tick %d, %d slots from %d", k, tick, ahead, w.current)
	}
	if e := l.slots[i].earliest; e > tick || e>>l.shift != number {
		broken("level %d slot %d has earliest %d, and holds tick %d", k, i, e, tick)
	}
	word := t.load()
	state := word.state()
	if state == Unarmed || state == Expired || state != Pending && !word.queued() {
		broken("tick %d holds a timeout that is %v; queued: %t", tick, state, word.queued())
	}
	if at := max(w.tickOf(word.deadline()), w.opening); state == Pending && !word.queued() && tick > at {
		broken("a timeout due at tick %d is filed under %d", at, tick)
	}
	return tick
}
