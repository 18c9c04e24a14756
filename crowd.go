package hashedwheel

import (
	"time"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// A crowd is a slot or bucket so full that filing it in one go would delay others. It is opened before its time, and
// its timeouts are filed again between passes, a portion at a time: each where it belongs now, or closer.
const (
	crowd = limits.Crowd

	// The time allowed for each timeout of a crowd: at least twice the time that filing takes in scattered memory.
	perTimeout = 500 * time.Nanosecond
)

// openedCrowd is the slot of a level that was opened last. Its timeouts are visited from the end to the front: when a
// timeout leaves, the last one, which was already visited, moves to its entry, and a new timeout is appended.
type openedCrowd struct {
	number int64 // of the slot
	unseen int   // how many of its timeouts are still to be visited
}

// thin visits a portion of a crowd that is open or must be opened now, and reports whether there was one.
func (w *hashedWheel) thin() bool {
	for _, l := range w.levels {
		if l.isOpen(w.current) {
			w.thinSlot(l)
			return true
		}
		number, at := l.crowdAt(w.current, w.ticks.len)
		if at < w.current { // the wheel has left the tick at which the crowd must be opened
			l.crowded.Clear(l.index(number)) // a crowd is opened once: otherwise a pass might never end
			l.opened = openedCrowd{number: number, unseen: l.len(number)}
			return true
		}
	}
	return false
}

// isOpen reports whether timeouts of an opened crowd are still to be visited, and the wheel has not reached its slot.
func (l *level) isOpen(current tick) bool {
	c := &l.opened
	return c.unseen > 0 && l.begins(c.number) >= current && l.len(c.number) > 0
}

// thinSlot visits a portion of an open crowd. From a bucket, it files again only timeouts that were moved later, and
// leaves queued ones to the drain.
func (w *hashedWheel) thinSlot(l *level) {
	c := &l.opened
	c.unseen = min(c.unseen, l.len(c.number)) // some may have left
	i := l.index(c.number)
	for n := 0; n < portion && c.unseen > 0; n++ {
		c.unseen--
		t := l.at(i, c.unseen)
		word := t.load()
		if l.shift > 0 || !word.queued() && word.deadline() > w.ticks.start(l.begins(c.number)) {
			w.remove(t)
			w.fileAgain(t)
		}
	}
}

// crowdAt returns the first crowd that was not opened yet, and the tick at which to open it, or noNumber if there is
// none. The crowd of a ring is opened a whole slot before its time: not earlier, since its timeouts would not fit into
// the level below, and not later, since a worker that wakes up late needs the time to catch up. The crowd of a bucket
// is opened early enough for it and all crowds behind it: its timeouts stay, except those that were moved.
func (l *level) crowdAt(current tick, tickLen int64) (number int64, at tick) {
	number = l.next(l.crowded, l.number(current))
	switch {
	case number == noNumber:
		return noNumber, noTick
	case l.shift > 0:
		return number, l.begins(number - 1)
	}
	work, turn := int64(0), l.number(current)+int64(l.size)
	at = noTick
	for n := number; n < turn; n = l.next(l.crowded, n+1) { // the first crowd is found again, a turn later
		work += int64(l.len(n)) * int64(perTimeout)
		at = min(at, l.begins(n)-tick(work/tickLen)-1)
	}
	return number, at
}
