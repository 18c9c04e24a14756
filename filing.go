package hashedwheel

import "slices"

// Methods of guarded that are called with the lock held.

// fileSome files at most limit timeouts, stripe by stripe, and returns how many.
func (g *guarded) fileSome(limit int) (n int) {
	if g.stopped {
		return 0
	}
	for ; n < limit; n += g.fileBacklog(limit - n) {
		if g.backlog == nil {
			g.backlog = g.queue.take()
		}
		if g.backlog == nil {
			break
		}
	}
	g.check()
	return n
}

// fileBacklog files at most limit timeouts of the backlog and returns how many.
func (g *guarded) fileBacklog(limit int) (n int) {
	t := g.backlog
	for ; n < limit && t != nil; n++ {
		next := t.link
		g.file(t)
		t = next
	}
	g.backlog = t
	return n
}

// file puts a timeout from the queue where its word says. One in the batch stays queued,
// so that it is not claimed from there, and is held until the batch is done.
func (g *guarded) file(t *Timeout) {
	if g.isInBatch(t) {
		t.link, g.held = g.held, t
		return
	}
	w := t.unqueue()
	if t.home != unfiled {
		g.wheel.remove(t)
	}
	switch w.state() {
	case Pending:
		g.wheel.place(t, g.wheel.tickOf(w.deadline()))
	case Cancelled:
		g.cancelled++
	}
}

func (g *guarded) isInBatch(t *Timeout) bool {
	if t.home == inBatch && !slices.Contains(g.batch, t) {
		misused(t)
	}
	return t.home == inBatch
}

// consider puts a timeout that was filed under current into the batch, or back into the
// wheel if it was moved later. One no longer pending, or queued again, is let go.
func (g *guarded) consider(t *Timeout, tick int64) {
	w := t.load()
	if w.state() != Pending || w.queued() {
		return
	}
	if w.deadline() > tick*g.wheel.tick {
		g.wheel.place(t, g.wheel.tickOf(w.deadline()))
		return
	}
	if len(g.batch) == 0 {
		g.batchTick = g.wheel.current
	}
	t.home = inBatch
	g.batch = append(g.batch, t)
}

// look returns the earliest tick at which a timeout may be due, and how many are pending, with
// what waits in the batch for its turn.
func (g *guarded) look() (next int64, pending int) {
	next, pending = g.wheel.next(), g.wheel.count
	for _, t := range g.batch {
		if w := t.load(); w.state() == Pending { // also if it was moved later, or armed again
			next = min(next, max(g.batchTick, g.wheel.tickOf(w.deadline())))
			pending++
		}
	}
	if next >= g.wheel.never {
		next = noTick
	}
	return next, pending
}

// stop closes the queue: what it held becomes the backlog, but for what is in the batch.
func (g *guarded) stop() {
	g.stopped = true
	waiting := append(g.queue.close(), g.backlog, g.held)
	g.backlog, g.held = nil, nil
	for _, t := range waiting {
		for t != nil {
			next := t.link
			if g.isInBatch(t) {
				t.unqueue()
			} else {
				t.link, g.backlog = g.backlog, t
			}
			t = next
		}
	}
}

// popAny takes any timeout out of the backlog or the wheel, nil if there is none.
func (g *guarded) popAny() *Timeout {
	t := g.backlog
	if t == nil {
		return g.wheel.popAny()
	}
	g.backlog = t.link
	t.unqueue()
	if t.home != unfiled {
		g.wheel.remove(t)
	}
	return t
}
