package hashedwheel

import "unsafe"

// word is one value of Timeout.word.
//
// verify/spin checks every interleaving of a few calls on it: one outcome an
// arming, told truthfully, never early. A transition that changes here changes in
// verify/spin/word.pml too, where verify/spin/run must find each seeded mistake.
type word int64

const (
	stateMask     = 1<<3 - 1
	queued        = 1 << 3 // in the hand-over queue, or about to be pushed by the goroutine that set it
	deadlineShift = 4

	// Deadlines are ns since the timer's start.
	minDeadline = -1 << (63 - deadlineShift)
	maxDeadline = claimed - 1               // about 18 years: never
	claimed     = 1<<(63-deadlineShift) - 1 // of a series, from its claim until the run arms it for the next
)

func pack(deadline int64, flags int64, s State) word {
	return word(deadline<<deadlineShift | flags | int64(s))
}

func (w word) state() State         { return State(w & stateMask) }
func (w word) queued() bool         { return w&queued != 0 }
func (w word) deadline() int64      { return int64(w) >> deadlineShift }
func (w word) isClaimed() bool      { return w.state() == Pending && w.deadline() == claimed }
func (w word) settled(s State) word { return w&^stateMask | word(s) }

func (to *Timeout) load() word { return word(to.word.Load()) }

func (to *Timeout) cas(old, new word) bool {
	return to.word.CompareAndSwap(int64(old), int64(new))
}

// arm makes to pending with a new deadline and reports whether it was. A
// timeout that must reach the worker is pushed, unless it already is queued; a
// later deadline need not: the worker finds it when it visits the earlier tick.
func (to *Timeout) arm(t *Timer, deadline int64) (was bool, err error) {
	for {
		w := to.load()
		if w.state() == Pending {
			next := w&queued | pack(deadline, 0, Pending)
			if deadline < w.deadline() {
				next |= queued
			}
			if next != w && !to.cas(w, next) {
				continue
			}
			if next&^w&queued != 0 {
				err = t.push(to)
			}
			return true, err
		}
		if !t.reserve() {
			if to.cas(w, w&queued|pack(deadline, 0, Rejected)) {
				t.rejected.Add(1)
				return false, ErrFull
			}
			continue
		}
		if !to.cas(w, pack(deadline, queued, Pending)) {
			t.release()
			continue
		}
		if !w.queued() {
			err = t.push(to)
		}
		return false, err
	}
}

// stop cancels a pending timeout whose word is w, and reports false if w is out of
// date.
func (to *Timeout) stop(w word) bool {
	if !to.cas(w, w.settled(Cancelled)|queued) {
		return false
	}
	to.timer.release()
	if !w.queued() {
		_ = to.timer.push(to) // so that the worker takes it out of the wheel
	}
	return true
}

// armNew arms a timeout that nobody else can see yet.
func (to *Timeout) armNew(t *Timer, deadline int64) error {
	if !t.reserve() {
		to.word.Store(int64(pack(deadline, 0, Rejected)))
		t.rejected.Add(1)
		return ErrFull
	}
	// A plain store: the CAS in push is what publishes it.
	*(*word)(unsafe.Pointer(&to.word)) = pack(deadline, queued, Pending)
	return t.push(to)
}

// armAlways arms a timeout that nobody else arms, whatever the limit on pending.
func (to *Timeout) armAlways(deadline int64) error {
	to.timer.reserveAlways()
	to.word.Store(int64(pack(deadline, queued, Pending)))
	return to.timer.push(to)
}

// armNext moves a series from a run that it is in, or that is overdue, to the next.
// It reports false if w is out of date: the series was stopped or reset.
func (to *Timeout) armNext(w word, deadline int64) bool {
	if !to.cas(w, pack(deadline, queued, Pending)) {
		return false
	}
	if !w.queued() {
		_ = to.timer.push(to)
	}
	return true
}

// claim makes to Expired if its deadline is no later than due, and reports
// whether it did: the caller then owes its task one run. A queued timeout is not
// claimed, it waits for the next drain. A series stays pending until that run arms
// it for the next: so Stop and Timer.Stop end it at any moment.
func (to *Timeout) claim(due int64) bool {
	for {
		w := to.load()
		if w.state() != Pending || w.queued() || w.deadline() > due {
			return false
		}
		next := w.settled(Expired)
		if s, ok := to.task.(*series); ok {
			s.due.Store(w.deadline())
			next = pack(claimed, 0, Pending)
		}
		if to.cas(w, next) {
			if next.state() == Expired {
				to.timer.release()
			}
			return true
		}
	}
}

// unqueue ends the consumer's ownership of link and returns the word as it was
// left. From here on the next arming or Stop may push to again.
func (to *Timeout) unqueue() word {
	to.link = nil // let the collector have it
	for {
		w := to.load()
		if to.cas(w, w&^queued) {
			return w &^ queued
		}
	}
}

// cancel ends a pending arming for Timer.Stop and reports whether this call did.
func (to *Timeout) cancel() bool {
	for {
		w := to.load()
		if w.state() != Pending {
			return false
		}
		if to.cas(w, w.settled(Cancelled)) {
			return true
		}
	}
}

// refuse gives up a push that came too late, together with the arming it was
// for or any other that has come to rely on it. It reports whether there was
// one that nobody had cancelled yet.
func (to *Timeout) refuse() bool {
	to.link = nil // let the collector have it
	for {
		w := to.load()
		next := w &^ queued
		if w.state() == Pending {
			next = next.settled(Rejected)
		}
		if to.cas(w, next) {
			return w.state() == Pending
		}
	}
}
