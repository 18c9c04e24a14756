package hashedwheel

import "time"

// A crowd is a slot or bucket so full that filing it in one go would delay others. It is opened
// before its time, and looked at portion by portion between passes: what was moved later goes
// where it belongs now, what is far goes closer.
const (
	crowd    = 4096                  // in shuffled memory half a millisecond's work
	perCrowd = 500 * time.Nanosecond // time allowed for each of a crowd; it takes 100 to 250 on two cores

	// What is due in a bucket stays there. After so many of those in a row the rest is
	// left alone: to look at all made firing 15% dearer (go test -bench Fire).
	patience = crowd / 4
)

// thin looks at a portion of a crowd that is to be opened by now, and reports whether there was one.
func (w *hashedWheel) thin() bool {
	for _, l := range w.levels {
		if l.inHand == nil {
			number, at := l.crowdAt(w.current, w.tick)
			if at >= w.current {
				continue
			}
			l.latest, l.unmoved = number, 0
			l.inHand = l.slot(number).first()
		}
		for n := 0; n < portion && l.inHand != nil; n++ {
			t := l.inHand
			l.inHand = t.next
			if l.shift > 0 || w.isMoved(t) {
				w.fileAgain(t)
				l.unmoved = 0
			} else if l.unmoved++; l.unmoved == patience {
				l.inHand = nil
			}
		}
		return true
	}
	return false
}

// isMoved reports whether t was moved later since it was filed. The drain sees to what is queued.
func (w *hashedWheel) isMoved(t *Timeout) bool {
	word := t.load()
	return !word.queued() && word.deadline() > t.home.tick()*w.tick
}

// wake returns the tick at which something may be due, or a crowd is to be opened.
func (w *hashedWheel) wake() int64 {
	tick := w.next()
	if tick >= w.never {
		return noTick // what is never due is no crowd
	}
	for _, l := range w.levels {
		_, at := l.crowdAt(w.current, w.tick)
		tick = min(tick, at)
	}
	return tick
}

// crowdAt returns the first crowded slot that was not opened yet, and the tick at which to open
// it so that it and all crowds behind it are through in time, but not before what it holds fits
// below; noTick if there is none.
func (l *level) crowdAt(current, tick int64) (number, at int64) {
	number, at = noTick, noTick
	work := int64(0)
	from := max(current>>l.shift, l.latest+1)
	for n := l.next(l.crowded, from, current); n != noTick; n = l.next(l.crowded, n+1, current) {
		number = min(number, n)
		work += int64(l.slot(n).n) * int64(perCrowd)
		at = min(at, n<<l.shift-work/tick-1)
	}
	if number != noTick && l.shift > 0 {
		at = max(at, (number-1)<<l.shift)
	}
	return number, at
}
