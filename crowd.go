package hashedwheel

import "github.com/hashedwheel/hashedwheel/internal/limits"

// A crowd is a slot of a ring so full that filing it again in one go would delay others. While the wheel is in the slot
// before it, its timeouts are filed again between passes, a portion at a time: each where it belongs now, or closer.
// Not earlier, since they would not fit into the level below.
const crowd = limits.Crowd

// thin files a portion of a crowd again, and reports whether there was one.
func (w *hashedWheel) thin() bool {
	for _, l := range w.levels {
		if n := l.number(w.current) + 1; l.shift > 0 && l.len(n) >= crowd {
			for range portion {
				w.fileAgain(w.popFrom(l, l.index(n)))
			}
			return true
		}
	}
	return false
}

// crowdAt returns the tick at which to thin the first crowd, or noTick.
func (l *level) crowdAt(current tick) tick {
	n := l.next(l.crowded, l.number(current)+1)
	if l.shift == 0 || n == noNumber {
		return noTick
	}
	return max(current, l.begins(n-1))
}
