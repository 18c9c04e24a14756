package hashedwheel

import (
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// guarded holds everything that the lock guards: the wheel, and the timeouts on their way into it and out of it. Its
// methods take the lock, except those at the end of the file, whose callers hold it. One hold visits one or two
// portions of timeouts.
//
// A timeout that is armed is in the queue or in lists, in the wheel, or in both. Only a holder of the lock takes it
// out, and it expires in the hold that takes it out of the wheel: an Expired timeout is nowhere.
type guarded struct {
	owner *Timer // set by init, then read only, like the next two
	queue *mpscQueue
	quota *quota

	mu      sync.Mutex
	wheel   hashedWheel
	lists   []*Timeout // taken from the queue and not filed yet, the oldest list first; none once stopped
	intake  int        // how many of the first lists are the pass's intake, in which due timeouts are still due
	stopped bool
}

const portion = limits.Portion

func (g *guarded) init(tm *Timer, wheelSize int) {
	g.owner, g.queue, g.quota = tm, &tm.queue, &tm.quota
	atOnce := few
	if tm.time.manual != nil || tm.time.tick == exact {
		atOnce = math.MaxInt // a test expects each timeout at its own time, however many there are
	}
	g.wheel.init(tm.time.tick, wheelSize, atOnce)
	g.lists = make([]*Timeout, 0, 8*len(g.queue.near.stripes)) // growing under the lock could trigger GC assist
}

func (g *guarded) lock() *sync.Mutex {
	g.mu.Lock()
	return &g.mu
}

// beginPass begins a pass at a time. If it takes, the queue becomes the intake, unless the last intake is not filed:
// then stripes stay deep, and producers help. So the intake does not grow forever if tasks keep arming themselves on a
// clock that stands still. It reports whether it has taken an intake. For since see farLane.isDue.
func (g *guarded) beginPass(now, since int64, takes bool) (hasTaken bool) {
	defer g.lock().Unlock()
	g.wheel.open(now)
	if !takes || g.intake > 0 {
		return false
	}
	g.takeLane(&g.queue.near)
	if g.queue.far.isDue(now, since) {
		g.takeLane(&g.queue.far.lane)
	}
	g.intake = len(g.lists)
	return g.intake > 0
}

// endPasses is called once no pass will follow at the same time: from now on, what is due is due at once.
func (g *guarded) endPasses() {
	defer g.lock().Unlock()
	g.wheel.closed = -1
}

// fileIntake files at most limit timeouts of the pass's intake, and returns how many.
func (g *guarded) fileIntake(limit int) int {
	defer g.lock().Unlock()
	n, _ := g.file(limit, g.intake)
	return n
}

// takeDue appends timeouts that are due at the time of the pass to a batch until it is full, and reports false if none
// is left. After true the batch may be empty, if all timeouts of a portion were moved.
func (g *guarded) takeDue(batch []expired) (_ []expired, more bool) {
	defer g.lock().Unlock()
	for visited := 0; !g.stopped && visited < portion && len(batch) < cap(batch); {
		t, looked := g.wheel.pop(portion - visited)
		visited += looked
		if t != nil {
			batch = g.claim(t, batch)
			continue
		}
		if g.wheel.unseen > 0 {
			break // in the middle of a look
		}
		filed, through := g.wheel.advance(max(1, portion-visited))
		if through {
			return batch, len(batch) > 0
		}
		visited += filed
	}
	return batch, !g.stopped
}

func (g *guarded) thin() bool {
	defer g.lock().Unlock()
	return !g.stopped && g.wheel.thin()
}

// nextWork, called as the worker ends its passes, returns the time at which filed timeouts need it, or the far lane is
// due, or maxDeadline. For the near lane a run is set: so what seems due by the time of the last pass is queued.
func (g *guarded) nextWork() (at int64) {
	defer g.lock().Unlock()
	if g.stopped {
		return maxDeadline
	}
	at = g.wheel.nextWork()
	if len(g.lists) > 0 || !g.queue.far.isEmpty() { // in lists: Pending may have taken it, and be filing it
		at = min(at, g.queue.far.at)
	}
	return max(at, g.wheel.closed+1)
}

// fileStripe has a producer file a part of the lists or, if there are none, of its stripe.
func (g *guarded) fileStripe(s *stripe) {
	defer g.lock().Unlock()
	if len(g.lists) == 0 {
		g.takeStripe(s)
	}
	g.file(2*portion, len(g.lists))
}

// drainAll files everything that is queued, then returns the earliest time at which a timeout may be due, or
// maxDeadline, and how many are pending.
func (g *guarded) drainAll() (next int64, pending int) {
	defer g.lock().Unlock()
	g.takeLane(&g.queue.near)
	g.takeLane(&g.queue.far.lane)
	for left := len(g.lists); ; {
		_, emptied := g.file(portion, left)
		left -= emptied
		if left == 0 || len(g.lists) == 0 { // len: others may have filed some of them
			return g.wheel.next(), g.wheel.count
		}
		g.mu.Unlock()
		g.mu.Lock()
	}
}

// release cancels t if it is pending, reports whether it did, and takes t out of the queue and the wheel. A goroutine
// that has marked t as queued may not have pushed it yet, and StopAll collects a portion at a time: release waits.
func (g *guarded) release(t *Timeout) (canceled bool) {
	defer g.lock().Unlock()
	canceled = t.cancelInPlace()
	for t.load().queued() {
		for _, l := range g.queue.lanes() {
			g.takeStripe(l.stripeOf(t))
		}
		filed, _ := g.file(portion, len(g.lists))
		g.mu.Unlock()
		if filed < portion { // t is filed, or another goroutine holds it up
			runtime.Gosched()
		}
		g.mu.Lock()
	}
	if t.home != unfiled && t.State() != Pending { // another goroutine may have armed it again
		g.wheel.remove(t)
	}
	return canceled
}

// collect closes the queue and cancels a portion of the pending timeouts, which it appends to ended. It races with
// Timeout.Stop: the CAS of each timeout's word decides.
func (g *guarded) collect(ended []canceled) (_ []canceled, more bool) {
	defer g.lock().Unlock()
	if !g.stopped {
		g.stop()
	}
	for range portion {
		t := g.popAny()
		if t == nil {
			return ended, false
		}
		checkOwner(t, g.owner)
		if t.cancelInPlace() {
			ended = append(ended, canceled{t, t.task})
		}
	}
	return ended, true
}

// canceled is a timeout and its task, read under the lock: its user may release the timeout and clear it after that.
type canceled struct {
	timeout *Timeout
	task    Task
}

// refuse gives up a push of t after stop, and reports whether it rejected an arming.
func (g *guarded) refuse(t *Timeout) bool {
	defer g.lock().Unlock()
	return t.refuse(t.home != unfiled)
}

// From here on the caller holds the lock.

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
		t := g.lists[0]
		for ; n < limit && t != nil; n++ {
			next := t.link
			g.fileOne(t)
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

// fileOne takes a timeout from the first list, and files it in the wheel if it is pending.
func (g *guarded) fileOne(t *Timeout) {
	if t.home != unfiled {
		g.wheel.remove(t)
	}
	switch w := t.unqueue(); {
	case w.state() != Pending:
	case g.intake > 0:
		g.wheel.put(t, w.deadline()) // the list belongs to the intake
	default:
		g.wheel.place(t, w.deadline())
	}
}

// claim makes t, which was taken out of the wheel, Expired, and adds it to a batch. If t was moved later or is queued,
// claim files it again; if it is no longer pending, claim drops it. The permit is returned first: nobody sees an
// Expired timeout that still counts. So an arming may be accepted in its place although t is moved in that instant.
func (g *guarded) claim(t *Timeout, batch []expired) []expired {
	checkOwner(t, g.owner)
	w := t.load()
	for ; w.isDue(g.wheel.closed); w = t.load() {
		g.quota.release(1)
		if t.cas(w, w.withState(Expired)) {
			return append(batch, expired{t, w.deadline()})
		}
		g.quota.acquire(unbounded)
	}
	if w.state() == Pending {
		g.wheel.place(t, w.deadline())
	}
	return batch
}

// stop closes the queue. What was queued is in lists now.
func (g *guarded) stop() {
	g.stopped, g.intake = true, 0
	g.lists = append(g.lists, g.queue.close()...)
}

// popAny takes any timeout out of lists or the wheel; nil if there is none.
func (g *guarded) popAny() *Timeout {
	for ; len(g.lists) > 0; g.lists = g.lists[1:] {
		if t := g.lists[0]; t != nil {
			g.lists[0] = t.link
			if t.home != unfiled {
				g.wheel.remove(t)
			}
			t.unqueue()
			return t
		}
	}
	return g.wheel.popAny()
}
