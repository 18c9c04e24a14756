package hashedwheel

// word is one value of Timeout.word: everything in a Timeout for which callers and the worker contend:
//
//	deadline, 59 bits │ leaving │ queued │ state, 3 bits
//
// Each transition, except beginNew, is one CAS from the word that was read. If that word was out of date, a transition
// returns ok = false, or retries if it has no ok. push reports whether the caller owes a push. verify/spin/word.pml has
// the same transitions, and checks their interleavings.
type word int64

const (
	stateMask     = 1<<3 - 1
	queued        = 1 << 3 // in the queue, or about to be pushed by the goroutine that set it
	leaving       = 1 << 4 // canceled, and queued only to be taken out of the wheel: a hint for lane.count
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
func (w word) unqueued() word         { return w &^ (queued | leaving) }

// isZombie reports whether the timeout was stopped in the queue.
func (w word) isZombie() bool { return w.state() != Pending && w&leaving == 0 }

func (t *Timeout) load() word { return word(t.word.Load()) }

func (t *Timeout) cas(old, new word) bool { return t.word.CompareAndSwap(int64(old), int64(new)) }

// move gives a pending timeout another deadline. A later deadline needs no push: the worker reads it at the earlier
// one.
func (t *Timeout) move(w word, deadline int64) (push, ok bool) {
	next := w&queued | pack(deadline, 0, Pending)
	if deadline < w.deadline() {
		next |= queued
	}
	return next&^w&queued != 0, next == w || t.cas(w, next)
}

// begin arms a timeout that is not pending.
func (t *Timeout) begin(w word, deadline int64) (push, ok bool) {
	return !w.queued(), t.cas(w, pack(deadline, queued, Pending))
}

// beginNew arms a timeout that no other goroutine can see; the caller owes a push.
func (t *Timeout) beginNew(deadline int64) {
	t.word.Store(int64(pack(deadline, queued, Pending)))
}

// reject records an arming that was refused, as Rejected or rejectedStopped.
func (t *Timeout) reject(w word, deadline int64, s State) (ok bool) {
	return t.cas(w, w&queued|pack(deadline, 0, s))
}

// cancel ends a pending arming; the push makes the worker take t out of the wheel.
func (t *Timeout) cancel(w word) (push, ok bool) {
	return !w.queued(), t.cas(w, w.withState(Canceled)|queued|^w&queued<<1) // leaving, unless it is queued already
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

// cancelForStop ends a pending arming for Timer.StopAll and reports whether this call did.
func (t *Timeout) cancelForStop() bool {
	for w := t.load(); w.state() == Pending; w = t.load() {
		if t.cas(w, w.withState(Canceled)) {
			return true
		}
	}
	return false
}

// refuse gives up a push after Timer.StopAll has closed the queue, and rejects a pending arming, unless the wheel holds
// t: then Timer.StopAll collects t. It reports whether it rejected the arming.
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
