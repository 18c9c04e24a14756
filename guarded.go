package hashedwheel

import (
	"slices"
	"sync"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// guarded holds everything that the lock guards: the wheel, and the timeouts on their way into it and out of it. Its
// methods take the lock, except those at the end of the file, whose callers hold it. One hold visits one or two
// portions of timeouts; only Timer.StopAll's first hold visits all queued timeouts.
type guarded struct {
	owner *Timer // set by init, then read only, like the next
	queue *mpscQueue

	mu      sync.Mutex
	broken  any // the panic of the call that found a misused Timeout; every later call repeats it
	wheel   hashedWheel
	lists   []*Timeout // taken from the queue and not filed yet, the oldest list first; none once stopped
	intake  int        // how many of the first lists are the pass's intake: its tick stays open until they are filed
	stopped bool
	waiting *Timeout // once stopped: all queued timeouts, as one list
}

const portion = limits.Portion

func (g *guarded) init(tm *Timer, wheelSize int) {
	g.owner, g.queue = tm, &tm.queue
	g.wheel.init(tm.time.ticks, wheelSize)
	g.lists = make([]*Timeout, 0, 8*len(g.queue.near.stripes)) // growing under the lock could trigger GC assist
}

// lock is used as defer g.lock().unlock(). It panics once a misused Timeout has been found, since the wheel may be
// inconsistent.
func (g *guarded) lock() *guarded {
	g.mu.Lock()
	if g.broken != nil {
		g.mu.Unlock()
		panic(g.broken)
	}
	return g
}

// unlock also runs after a panic, and then breaks the Timer.
func (g *guarded) unlock() {
	if p := recover(); p != nil {
		g.broken = p
		g.mu.Unlock()
		panic(p)
	}
	g.mu.Unlock()
}

// beginPass takes the queue as the pass's intake and closes the tick. due is the tick at which the run was due. It
// takes nothing if the last intake is not filed: then stripes stay deep, and producers help. So the intake does not
// grow forever if tasks keep arming themselves on a clock that stands still. It reports whether there is an intake.
func (g *guarded) beginPass(tick, due tick) (isBusy bool) {
	defer g.lock().unlock()
	// A task ended the last pass of this tick by Goexit, or by a panic through Advance. Take nothing more at this tick:
	// its tasks may have armed themselves again, and the worker would never leave it.
	isCut := g.wheel.current <= tick && tick < g.wheel.opening
	g.wheel.turn(min(tick, due)) // no further, since Overdue shows how late the worker is
	if !isCut && g.intake == 0 {
		g.takeLane(&g.queue.near)
		if g.queue.far.isDue(g.wheel.ticks.start(tick)) {
			g.takeLane(&g.queue.far.lane)
		}
		g.intake = len(g.lists)
	}
	g.wheel.close(tick)
	return g.intake > 0
}

// fileIntake files at most limit timeouts of the pass's intake, and returns how many.
func (g *guarded) fileIntake(limit int) int {
	defer g.lock().unlock()
	n, _ := g.file(limit, g.intake)
	return n
}

// takeDue claims timeouts that are due by tick, fills batch with them, and reports false if none is left. After true
// the batch may be empty, if all timeouts of a portion were moved. The wheel leaves the tick only once the intake is
// filed.
func (g *guarded) takeDue(tick tick, batch []expired) (_ []expired, more bool) {
	defer g.lock().unlock()
	for visited := 0; !g.stopped && visited < portion && len(batch) < cap(batch); {
		t := g.wheel.pop(tick)
		if t != nil {
			batch = g.claim(t, tick, batch)
			visited++
			continue
		}
		filed, through := g.wheel.advance(tick, portion-visited)
		visited += filed
		if through {
			if g.intake == 0 {
				g.wheel.leave(tick)
			}
			return batch, len(batch) > 0
		}
	}
	return batch, !g.stopped
}

func (g *guarded) thin() bool {
	defer g.lock().unlock()
	return !g.stopped && g.wheel.thin()
}

// nextWork returns the tick at which filed timeouts need the worker, or the far lane is due. Other timeouts in the
// queue or in lists were pushed after the run began: a run is set for them.
func (g *guarded) nextWork() tick {
	defer g.lock().unlock()
	if g.stopped {
		return noTick
	}
	next := g.wheel.nextWork()
	if !g.queue.far.isEmpty() {
		next = min(next, g.wheel.ticks.of(g.queue.far.at))
	}
	return next
}

// fileStripe has a producer file a part of the lists or, if there are none, of its stripe.
func (g *guarded) fileStripe(s *stripe) {
	defer g.lock().unlock()
	if len(g.lists) == 0 {
		g.takeStripe(s)
	}
	g.file(2*portion, len(g.lists))
}

// drainAll files everything that is queued, then returns the earliest tick at which a timeout may be due, and how many
// are pending. No clock reaches the tick if it is ticks.never or later.
func (g *guarded) drainAll() (next tick, pending int) {
	defer g.lock().unlock()
	g.takeAll()
	for left := len(g.lists); ; {
		_, emptied := g.file(portion, left)
		left -= emptied
		if left == 0 || len(g.lists) == 0 { // len: others may have filed some of them
			return g.wheel.earliest(), g.wheel.count
		}
		g.mu.Unlock()
		g.mu.Lock()
		if g.broken != nil {
			panic(g.broken)
		}
	}
}

// collect closes the queue and cancels a portion of the pending timeouts, which it appends to ended. It races with
// Timeout.Stop: the CAS of each timeout's word decides.
func (g *guarded) collect(ended []*Timeout) (_ []*Timeout, more bool) {
	defer g.lock().unlock()
	if !g.stopped {
		g.stop()
	}
	for range portion {
		t := g.popAny()
		if t == nil {
			return ended, false
		}
		checkOwner(t, g.owner)
		if t.cancelForStop() {
			ended = append(ended, t)
		}
	}
	return ended, true
}

// refuse gives up a push of t after stop, and reports whether it rejected an arming.
func (g *guarded) refuse(t *Timeout) bool {
	defer g.lock().unlock()
	return t.refuse(t.home.level() >= 0)
}

// From here on the caller holds the lock.

// takeAll takes everything that is queued.
func (g *guarded) takeAll() {
	g.takeLane(&g.queue.near)
	g.takeLane(&g.queue.far.lane)
}

func (g *guarded) takeLane(l *lane) {
	for i := range l.stripes {
		g.takeStripe(&l.stripes[i])
	}
}

// takeStripe takes everything that is queued in a stripe.
func (g *guarded) takeStripe(s *stripe) {
	if g.stopped {
		return
	}
	if list := s.take(); list != nil {
		g.lists = append(g.lists, list)
	}
}

// file files at most limit timeouts of the first lists, and returns how many, and how many lists it emptied.
func (g *guarded) file(limit, lists int) (n, emptied int) {
	for n < limit && emptied < lists && len(g.lists) > 0 {
		t, first := g.lists[0], g.wheel.opening
		if g.intake > 0 {
			first = g.wheel.current // the list belongs to the intake
		}
		for ; n < limit && t != nil; n++ {
			next := t.link
			g.fileOne(t, first)
			t = next
		}
		g.lists[0] = t
		if t == nil {
			g.lists = slices.Delete(g.lists, 0, 1)
			g.intake = max(0, g.intake-1)
			emptied++
		}
	}
	g.check()
	return n, emptied
}

// fileOne takes a timeout from the queue, and places it in the wheel if it is pending, no earlier than at first, the
// first tick that is open for it.
func (g *guarded) fileOne(t *Timeout, first tick) {
	if t.home != unfiled {
		g.wheel.remove(t)
	}
	if w := t.unqueue(); w.state() == Pending {
		g.wheel.put(t, max(first, g.wheel.ticks.of(w.deadline())))
	}
}

// claim claims a timeout that was filed under current, for the batch. If it was moved later or is queued, claim files
// it again; if it is no longer pending, claim drops it.
func (g *guarded) claim(t *Timeout, tick tick, batch []expired) []expired {
	checkOwner(t, g.owner)
	w, ok := t.claim(g.wheel.ticks.start(tick))
	switch {
	case ok:
		batch = append(batch, expired{t, w.deadline()})
	case w.state() == Pending:
		g.wheel.place(t, g.wheel.ticks.of(w.deadline()))
	}
	return batch
}

// stop closes the queue and joins all queued timeouts into one list.
func (g *guarded) stop() {
	g.stopped = true
	for _, t := range append(g.lists, g.queue.close()...) {
		for t != nil {
			next := t.link
			t.link, g.waiting = g.waiting, t
			t = next
		}
	}
	g.lists, g.intake = nil, 0
}

// popAny takes any timeout out of waiting or the wheel; nil if there is none.
func (g *guarded) popAny() *Timeout {
	t := g.waiting
	if t == nil {
		return g.wheel.popAny()
	}
	g.waiting = t.link
	if t.home != unfiled {
		g.wheel.remove(t)
	}
	t.unqueue()
	return t
}
