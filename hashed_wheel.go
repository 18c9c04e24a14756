package hashedwheel

import "math/bits"

// hashedWheel keeps timeouts by the tick at which they expire. It is pure: no clock, no goroutine, no lock, and the
// only atomic it reads is a timeout's word. A timeout that is due within a turn of the buckets is in the bucket of its
// tick, modulo their number. A later timeout, one with remaining rounds, waits in the first overflow ring that reaches
// its tick. A ring has 64 slots, each as wide as half a turn of the buckets, or as 32 slots of the ring below.
//
//	                 tick = 1000, current = 3, 8 buckets
//
//	level 0   buckets, one tick each      1000 - 3            = 997 of 8: too far
//	level 1   ring,    4 ticks a slot     1000/4 - 3/4        = 250 of 64: too far
//	level 2   ring,  128 ticks a slot     1000/128 - 3/128    = 7 of 64: here
//	level 3   ring, 4096 ticks a slot
//
// When the wheel reaches the start of that slot, tick 896, the timeout is filed again, into level 1, and at tick 1000
// into a bucket: it is touched once per level. Ticks are absolute and slots are derived from them, so any number of
// ticks can be skipped. From Varghese and Lauck, "Hashed and Hierarchical Timing Wheels" (1987): a window of one turn
// (scheme 4) over hashed ticks (6), with a hierarchy (7).
type hashedWheel struct {
	ticks ticks // set by init, then read only

	// Two hands, which only the worker moves. Every timeout is filed under current or later.
	//
	//	ticks   taken │ being taken, or nothing is due │ still to come
	//	              ▲ current                        ▲ opening
	//
	// place files at opening or later, so that a pass ends even if a task arms its own timeout for the past again and
	// again. The pass's intake, and the timeouts of slots that are filed again, are put at current or later.
	current tick
	opening tick

	count  int      // timeouts filed
	levels []*level // the levels that have been needed so far
	spares spares   // empty chunks of the levels
}

func (w *hashedWheel) init(k ticks, size int) {
	w.ticks = k
	w.current, w.opening = 1, 1 // tick 0 is the instant at which the timer was made
	w.levels = []*level{newLevel(0, 0, size, &w.spares)}
}

// place files a timeout under a tick, or under the first open tick if that tick is closed.
func (w *hashedWheel) place(t *Timeout, tick tick) { w.put(t, max(tick, w.opening)) }

// put files a timeout under a tick that has not been taken.
func (w *hashedWheel) put(t *Timeout, tick tick) {
	k := 0
	for !w.levels[k].reaches(tick, w.current) {
		k++
		if k == len(w.levels) {
			w.addRing()
		}
	}
	w.levels[k].add(t, tick)
	w.count++
}

func (w *hashedWheel) addRing() {
	shift := uint(bits.Len(uint(w.levels[0].size / 4))) // half a turn
	if n := len(w.levels); n > 1 {
		shift = w.levels[n-1].shift + ringBits
	}
	w.levels = append(w.levels, newLevel(len(w.levels), shift, ringSlots, &w.spares))
}

func (w *hashedWheel) remove(t *Timeout) {
	k := t.home.level()
	if k < 0 || k >= len(w.levels) {
		misused(t)
	}
	w.levels[k].remove(t)
	w.count--
}

// turn moves on to a tick if nothing is filed before it, so that the intake is filed in the lowest level possible.
func (w *hashedWheel) turn(tick tick) {
	if first, _ := w.firstSlot(); first >= tick {
		w.current = max(w.current, tick)
		w.opening = max(w.opening, tick)
	}
}

// close shuts a tick: timeouts that place files from now on, including those armed by this pass's tasks, expire later.
func (w *hashedWheel) close(tick tick) { w.opening = max(w.opening, tick+1) }

// advance moves on to the first tick, no later than last, whose bucket is occupied. through means that nothing is filed
// up to last, and current is at least last. On the way, advance files the timeouts of slots again, at most limit of
// them, and returns how many.
func (w *hashedWheel) advance(last tick, limit int) (filed int, through bool) {
	for filed < limit {
		start, l := w.firstSlot()
		if start > last {
			w.current = max(w.current, last)
			return filed, true
		}
		w.current = start
		if l == w.levels[0] {
			break
		}
		i := l.index(l.number(start))
		for ; filed < limit && l.slots.len(i) > 0; filed++ {
			w.fileAgain(w.popFrom(l, i))
		}
	}
	return filed, false
}

// leave moves on past a tick; nothing is, or will be, filed up to it.
func (w *hashedWheel) leave(tick tick) {
	w.current = max(w.current, tick+1)
	w.opening = max(w.opening, w.current)
}

// firstSlot returns the tick at which the first occupied slot begins, and its level: the highest of several, since its
// timeouts may be filed again into the others.
func (w *hashedWheel) firstSlot() (tick tick, first *level) {
	tick = noTick
	for _, l := range w.levels {
		if n := l.next(l.occupied, l.number(w.current)); n != noNumber && l.begins(n) <= tick {
			tick, first = l.begins(n), l
		}
	}
	return tick, first
}

// pop removes a timeout filed under current; nil if none is left, or if current is later than last.
func (w *hashedWheel) pop(last tick) *Timeout {
	l := w.levels[0]
	i := l.index(l.number(w.current))
	if w.current > last || l.slots.len(i) == 0 {
		return nil
	}
	return w.popFrom(l, i)
}

func (w *hashedWheel) popFrom(l *level, i int) *Timeout {
	w.count--
	return l.popLast(i)
}

// popAny removes any timeout; nil if none is filed.
func (w *hashedWheel) popAny() *Timeout {
	tick, l := w.firstSlot()
	if l == nil {
		return nil
	}
	return w.popFrom(l, l.index(l.number(tick)))
}

// fileAgain files a popped timeout by the deadline in its word if it is pending, and drops it otherwise. It also files
// a queued timeout: its push may be refused, and then Timer.StopAll must find it here.
func (w *hashedWheel) fileAgain(t *Timeout) {
	if word := t.load(); word.state() == Pending {
		w.put(t, max(w.current, w.ticks.of(word.deadline())))
	}
}

// earliest returns the earliest tick at which a timeout may be due, or noTick if none is filed. The tick is too early
// if the earliest timeout was moved later or removed.
func (w *hashedWheel) earliest() (tick tick) {
	tick = noTick
	for _, l := range w.levels {
		if number := l.next(l.occupied, l.number(w.current)); number != noNumber {
			tick = min(tick, l.earliestIn(number))
		}
	}
	return tick
}

// nextWork returns the tick at which a timeout may be due, or a crowd is to be thinned.
func (w *hashedWheel) nextWork() tick {
	tick := w.earliest()
	if tick >= w.ticks.never {
		return noTick // timeouts that are never due are not a crowd
	}
	for _, l := range w.levels {
		tick = min(tick, l.crowdAt(w.current))
	}
	return tick
}
