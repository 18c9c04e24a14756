package hashedwheel

// batch holds the due timeouts that the worker dispatches between two holds of the lock. takeDue fills it and settle
// empties it, under the lock; in between, only next changes it. The worker, which calls all three, reads it without the
// lock.
type batch struct {
	timeouts []*Timeout
	given    int  // how many of them next has returned
	tick     tick // the tick at which the first timeout is due
}

func (b *batch) isEmpty() bool { return len(b.timeouts) == 0 }
func (b *batch) isFull() bool  { return len(b.timeouts) == batchSize }

// add appends a timeout that is due at a tick.
func (b *batch) add(t *Timeout, tick tick) {
	if b.isEmpty() {
		b.tick = tick
	}
	t.home = homeIn(inBatch, 0, len(b.timeouts))
	b.timeouts = append(b.timeouts, t)
}

// next returns the next timeout, or nil after the last.
func (b *batch) next() *Timeout {
	if b.given == len(b.timeouts) {
		return nil
	}
	b.given++
	return b.timeouts[b.given-1]
}

// has reports whether t is in the batch.
func (b *batch) has(t *Timeout) bool {
	if t.home.kind() != inBatch {
		return false
	}
	if i := t.home.index(); i >= len(b.timeouts) || b.timeouts[i] != t {
		misused(t)
	}
	return true
}

// isAt reports whether t has the home that add gave it: t was not overwritten, and no other entry names it.
func (t *Timeout) isAt(i int) bool { return t.home == homeIn(inBatch, 0, i) }

// clear lets the collector have the timeouts.
func (b *batch) clear() {
	clear(b.timeouts)
	b.timeouts, b.given = b.timeouts[:0], 0
}
