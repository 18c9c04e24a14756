package hashedwheel

import (
	"fmt"
	"math/rand/v2"

	"github.com/hashedwheel/hashedwheel/internal/invariants"
)

// check checks the wheel if built with -tags invariants. It is called after timeouts were filed. It checks a small
// wheel at every call, a larger one less often.
func (g *guarded) check() {
	if !invariants.Enabled || g.stopped {
		return
	}
	size := g.wheel.count
	for _, l := range g.wheel.levels {
		size += l.size / 64
	}
	if size <= 1<<11 || rand.IntN(size) < 8*portion { // a portion is filed between two checks
		g.wheel.check(max(g.wheel.closed, g.owner.alarm.last.Load())) // the latter is that of a ManualClock
	}
}

// check panics if an invariant of the wheel is broken. Producers may change words at the same time, so each word is
// read once, and must satisfy conditions that no producer can break:
//   - A timeout that is filed has been armed and has not expired.
//   - If it is no longer pending, it is queued: the next drain removes it.
//   - If it is pending and not queued, its slot is visited no later than it is due, or than the next tick: a move
//     to earlier queues it.
func (w *hashedWheel) check(lastPass int64) {
	n := 0
	for k, l := range w.levels {
		for i := l.occupied.Next(0); i >= 0; i = l.occupied.Next(i + 1) {
			size := l.slots.check(i)
			if size == 0 {
				broken("level %d slot %d is empty, but marked as occupied", k, i)
			}
			for index := range size {
				w.checkFiled(k, i, index, lastPass)
			}
			n += size
		}
		for i := l.crowded.Next(0); i >= 0; i = l.crowded.Next(i + 1) {
			if l.slots.len(i) < crowd {
				broken("level %d slot %d holds %d, but is marked as a crowd", k, i, l.slots.len(i))
			}
		}
	}
	if n != w.count {
		broken("count is %d, but %d are filed", w.count, n)
	}
}

func broken(format string, args ...any) {
	panic("hashedwheel: invariant: " + fmt.Sprintf(format, args...))
}

// check panics if a chunk of slot i other than the last is not full, or if there is a timeout past the end of the last
// chunk. It returns how many timeouts the slot holds.
func (b *buckets) check(i int) (n int) {
	last := b.slots[i].last
	for _, chunk := range b.slots[i].full {
		if len(chunk) != chunkLen || len(last) == 0 {
			broken("slot %d has a chunk of %d before the last, of %d", i, len(chunk), len(last))
		}
	}
	for _, t := range last[len(last):cap(last)] {
		if t != nil {
			broken("slot %d keeps a timeout that has left", i)
		}
	}
	return b.len(i)
}

// checkFiled checks a timeout found in slot i of level k.
func (w *hashedWheel) checkFiled(k, i, index int, lastPass int64) {
	l := w.levels[k]
	t := *l.slots.entry(i, index)
	if t == nil || t.home != homeIn(inWheel+k, i, index) {
		broken("level %d slot %d has another timeout at %d, or another home", k, i, index)
	}
	number := l.number(w.current) + int64((i-l.index(l.number(w.current)))&(l.size-1))
	start := l.begins(number)
	if start < w.current && l.begins(number+1) <= w.current {
		broken("level %d holds timeouts in slot %d, before %d", k, number, w.current)
	}
	if e := l.earliest[i]; e < w.start(start) && number != l.number(w.current) {
		broken("level %d slot %d has earliest %d", k, number, e)
	}
	word := t.load()
	state := word.state()
	if state == Unarmed || state == Expired || state != Pending && !word.queued() {
		broken("slot %d holds a timeout that is %v; queued: %t", number, state, word.queued())
	}
	// Since it was filed as due by the last pass, and so in the next tick, it may have been moved later.
	at := max(word.deadline(), w.start(max(start, w.tickAt(lastPass)+1)))
	if e := l.earliest[i]; state == Pending && !word.queued() && e > at && e < maxDeadline {
		broken("a timeout due at %d is filed in slot %d, whose earliest is %d", at, number, e)
	}
}
