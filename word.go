package hashedwheel

// word is one value of Timeout.word: everything in a Timeout for which callers and the worker contend.
//
//	deadline, 60 bits │ queued │ state, 3 bits
//
// Ground rules. Every change of the word is one CAS from the word that was read, except the first of a timeout that no
// other goroutine can see. Only a caller sets queued, and then owes the push; only a holder of the lock clears it, when
// it has taken the timeout from the queue. Only a holder of the lock changes home, and makes a timeout Expired.
//
// The races, and what closes each:
//   - Two callers arm, move or stop at once: one CAS fails, and its call reads the word again.
//   - A call races with the worker's claim: the same. A claim that fails leaves the timeout in the wheel.
//   - A timeout is armed again while it is queued: no second push. The drain reads the word when it files, and not what
//     was pushed.
//   - It is moved to a later time: no push. The wheel holds it under the earlier time, and reads the word then.
//   - A call races with Timer.StopAll: StopAll finds the push in the queue, or the push is refused.
//
// A transition that finds its word out of date returns ok = false, or retries if it has no ok. push reports whether the
// caller owes a push. verify/spin/word.pml has the same transitions, and checks their interleavings.
type word int64

const (
	stateMask     = 1<<3 - 1
	queued        = 1 << 3 // in the queue, or about to be pushed by the goroutine that set it
	deadlineShift = 4

	rejectedStopped = Rejected + 1 // Rejected because the timer was stopped; Rejected itself: because it was full

	maxDeadline = 1<<58 - 1 // ns since the timer's start, about 9 years: never
)

func pack(deadline int64, flags int64, s State) word {
	return word(deadline<<deadlineShift | flags | int64(s))
}

func (w word) state() State           { return State(w & stateMask) }
func (w word) queued() bool           { return w&queued != 0 }
func (w word) deadline() int64        { return int64(w) >> deadlineShift }
func (w word) withState(s State) word { return w&^stateMask | word(s) }

// isDue reports whether the worker may claim the timeout. A queued one is filed first: its deadline may be a later one.
func (w word) isDue(now int64) bool {
	return w.state() == Pending && !w.queued() && w.deadline() <= now
}

func (t *Timeout) load() word { return word(t.word.Load()) }

func (t *Timeout) cas(old, new word) bool { return t.word.CompareAndSwap(int64(old), int64(new)) }

// move gives a pending timeout another deadline. A later deadline needs no push: the worker reads it at the earlier
// one. A deadline that stays the same is written too, since a Reset happens before the run that it causes.
func (t *Timeout) move(w word, deadline int64) (push, ok bool) {
	next := w&queued | pack(deadline, 0, Pending)
	if deadline < w.deadline() {
		next |= queued
	}
	return next&^w&queued != 0, t.cas(w, next)
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
	return !w.queued(), t.cas(w, w.withState(Canceled)|queued)
}

// cancelInPlace ends a pending arming, and reports whether this call did. The caller holds the lock, and takes t out of
// the queue and the wheel.
func (t *Timeout) cancelInPlace() bool {
	for w := t.load(); w.state() == Pending; w = t.load() {
		if t.cas(w, w.withState(Canceled)) {
			return true
		}
	}
	return false
}

// unqueue ends the consumer's ownership of link: t may be pushed again. It returns the word it left.
func (t *Timeout) unqueue() word {
	t.link = nil // let the collector have it
	for {
		w := t.load()
		if !w.queued() {
			misused(t)
		}
		if t.cas(w, w&^queued) {
			return w &^ queued
		}
	}
}

// refuse gives up a push after Timer.StopAll has closed the queue, and rejects a pending arming, unless the wheel holds
// t: then Timer.StopAll collects t. It reports whether it rejected the arming.
func (t *Timeout) refuse(isFiled bool) bool {
	t.link = nil // let the collector have it
	for {
		w := t.load()
		next := w &^ queued
		if w.state() == Pending && !isFiled {
			next = next.withState(rejectedStopped)
		}
		if t.cas(w, next) {
			return next.state() != w.state()
		}
	}
}
