package hashedwheel

// word is one value of Timeout.word: everything in a Timeout for which callers and the worker contend:
//
//	deadline, 59 bits │ fresh │ queued │ state, 3 bits
//
// Each transition, except beginNew, is one CAS from the word that was read. If that word was out of date, a transition
// returns ok = false, or retries if it has no ok. push reports whether the caller owes a push. verify/spin/word.pml has
// the same transitions, and checks their interleavings.
type word int64

const (
	stateMask     = 1<<3 - 1
	queued        = 1 << 3 // in the queue, or about to be pushed by the goroutine that set it
	fresh         = 1 << 4 // queued, and not in the wheel; cleared with queued
	deadlineShift = 5

	rejectedStopped = Rejected + 1 // Rejected because the timer was stopped; Rejected itself: because it was full

	maxDeadline = 1<<(63-deadlineShift) - 1 // ns since the timer's start, about 9 years: never
)

func pack(deadline int64, flags int64, s State) word {
	return word(deadline<<deadlineShift | flags | int64(s))
}

func (w word) state() State           { return State(w & stateMask) }
func (w word) queued() bool           { return w&queued != 0 }
func (w word) deadline() int64        { return int64(w) >> deadlineShift }
func (w word) withState(s State) word { return w&^stateMask | word(s) }
func (w word) unqueued() word         { return w &^ (queued | fresh) }

// isZombie reports whether the timeout is no longer pending, and only the queue holds it.
func (w word) isZombie() bool { return w&fresh != 0 && w.state() != Pending }

func (t *Timeout) load() word { return word(t.word.Load()) }

func (t *Timeout) cas(old, new word) bool { return t.word.CompareAndSwap(int64(old), int64(new)) }

// move gives a pending timeout another deadline. A later deadline needs no push: the worker reads it at the earlier
// one.
func (t *Timeout) move(w word, deadline int64) (push, ok bool) {
	next := w&(queued|fresh) | pack(deadline, 0, Pending)
	if deadline < w.deadline() {
		next |= queued
	}
	return next&^w&queued != 0, next == w || t.cas(w, next)
}

// begin arms a timeout that is not pending. Unless it is queued, it is nowhere: the worker has taken it out of the wheel
// before it expired, and out of the queue after it was canceled. So it is fresh.
func (t *Timeout) begin(w word, deadline int64) (push, ok bool) {
	becomesFresh := int64(^w & queued << 1) // no branch, since begin must fit the inliner
	return !w.queued(), t.cas(w, w&fresh|pack(deadline, queued|becomesFresh, Pending))
}

// beginNew arms a timeout that no other goroutine can see; the caller owes a push.
func (t *Timeout) beginNew(deadline int64) {
	t.word.Store(int64(pack(deadline, queued|fresh, Pending)))
}

// reject records an arming that was refused, as Rejected or rejectedStopped.
func (t *Timeout) reject(w word, deadline int64, s State) (ok bool) {
	return t.cas(w, w&(queued|fresh)|pack(deadline, 0, s))
}

// cancel ends a pending arming; the push makes the worker take t out of the wheel.
func (t *Timeout) cancel(w word) (push, ok bool) {
	return !w.queued(), t.cas(w, w.withState(Canceled)|queued)
}

// claim makes t Expired, unless its deadline is after due or t is queued. After ok the caller owes the task one run.
// claim returns the word that it read, since another goroutine may arm t again at once.
func (t *Timeout) claim(due int64) (claimed word, ok bool) {
	for {
		w := t.load()
		if w.state() != Pending || w.queued() || w.deadline() > due {
			return w, false
		}
		if t.cas(w, w.withState(Expired)) {
			return w, true
		}
	}
}

// unqueue ends the consumer's ownership of link: t may be pushed again. It returns the word it left.
func (t *Timeout) unqueue() word {
	t.link = nil // let the collector have it
	for {
		w := t.load()
		if !w.queued() {
			misused(t)
		}
		if t.cas(w, w.unqueued()) {
			return w.unqueued()
		}
	}
}

// drop takes a zombie with the word w out of the queue, for a pruner. After ok link belongs to the next push of t.
func (t *Timeout) drop(w word) (ok bool) {
	below := t.link
	t.link = nil // before the CAS: after it the link is not the pruner's
	ok = t.cas(w, w.unqueued())
	if !ok {
		t.link = below
	}
	return ok
}

// cancelForStop ends a pending arming for Timer.Stop and reports whether this call did.
func (t *Timeout) cancelForStop() bool {
	for w := t.load(); w.state() == Pending; w = t.load() {
		if t.cas(w, w.withState(Canceled)) {
			return true
		}
	}
	return false
}

// refuse gives up a push after Timer.Stop has closed the queue, and rejects a pending arming, unless the wheel holds t:
// then Timer.Stop collects t. It reports whether it rejected the arming.
func (t *Timeout) refuse(isFiled bool) bool {
	t.link = nil // let the collector have it
	for {
		w := t.load()
		next := w.unqueued()
		if w.state() == Pending && !isFiled {
			next = next.withState(rejectedStopped)
		}
		if t.cas(w, next) {
			return next.state() != w.state()
		}
	}
}
