package hashedwheel

import "unsafe"

// word is one value of Timeout.word. A transition is one CAS from the word that its
// caller has read: ok is false if that was out of date, push tells whether the caller
// owes a push. verify/spin/word.pml has each of them too, and checks their interleavings.
type word int64

const (
	stateMask     = 1<<3 - 1
	queued        = 1 << 3 // in the hand-over queue, or about to be pushed by the goroutine that set it
	deadlineShift = 4

	tooLate = Rejected + 1 // Rejected because the timer was stopped; Rejected itself: because it was full

	minDeadline = -1 << (63 - deadlineShift) // ns since the timer's start
	maxDeadline = 1<<(63-deadlineShift) - 1  // about 18 years: never
)

func pack(deadline int64, flags int64, s State) word {
	return word(deadline<<deadlineShift | flags | int64(s))
}

func (w word) state() State         { return State(w & stateMask) }
func (w word) queued() bool         { return w&queued != 0 }
func (w word) deadline() int64      { return int64(w) >> deadlineShift }
func (w word) settled(s State) word { return w&^stateMask | word(s) }

func (t *Timeout) load() word { return word(t.word.Load()) }

func (t *Timeout) cas(old, new word) bool {
	return t.word.CompareAndSwap(int64(old), int64(new))
}

// move gives a pending timeout another deadline. For a later one the worker looks at the earlier tick.
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

// beginNew arms a timeout that nobody else can see; it owes a push, whose CAS publishes
// this plain store.
func (t *Timeout) beginNew(deadline int64) {
	*(*word)(unsafe.Pointer(&t.word)) = pack(deadline, queued, Pending)
}

// reject notes an arming that was refused because the timer is full.
func (t *Timeout) reject(w word, deadline int64) (ok bool) {
	return t.cas(w, w&queued|pack(deadline, 0, Rejected))
}

// cancel ends a pending arming; the push makes the worker take t out of the wheel.
func (t *Timeout) cancel(w word) (push, ok bool) {
	return !w.queued(), t.cas(w, w.settled(Cancelled)|queued)
}

// claim makes t Expired if its deadline is no later than due: the caller then owes its
// task one run. A queued timeout waits for the next drain.
func (t *Timeout) claim(due int64) bool {
	for {
		w := t.load()
		if w.state() != Pending || w.queued() || w.deadline() > due {
			return false
		}
		if t.cas(w, w.settled(Expired)) {
			return true
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
		if t.cas(w, w&^queued) {
			return w &^ queued
		}
	}
}

// collect ends a pending arming for Timer.Stop and reports whether this call did.
func (t *Timeout) collect() bool {
	for {
		w := t.load()
		if w.state() != Pending {
			return false
		}
		if t.cas(w, w.settled(Cancelled)) {
			return true
		}
	}
}

// refuse gives up a push that came too late, and the arming that relies on it; it reports
// whether there was one.
func (t *Timeout) refuse() bool {
	t.link = nil // let the collector have it
	for {
		w := t.load()
		next := w &^ queued
		if w.state() == Pending {
			next = next.settled(tooLate)
		}
		if t.cas(w, next) {
			return w.state() == Pending
		}
	}
}
