package hashedwheel

// word is one value of Timeout.word.
type word int64

const (
	stateMask     = 1<<3 - 1
	queued        = 1 << 3 // in the hand-over queue, or about to be pushed by the goroutine that set it
	deadlineShift = 4

	maxDeadline = 1<<(63-deadlineShift) - 1 // ns since the timer's start, about 18 years: never
	minDeadline = -1 << (63 - deadlineShift)
)

func pack(deadline int64, flags int64, s State) word {
	return word(deadline<<deadlineShift | flags | int64(s))
}

func (w word) state() State         { return State(w & stateMask) }
func (w word) queued() bool         { return w&queued != 0 }
func (w word) deadline() int64      { return int64(w) >> deadlineShift }
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

// armFrom arms to if it is in the given state, and reports whether it was. The
// limit on pending timeouts does not apply.
func (to *Timeout) armFrom(s State, deadline int64) (was bool, err error) {
	for {
		w := to.load()
		if w.state() != s {
			return false, nil
		}
		to.timer.reserveAlways()
		if !to.cas(w, pack(deadline, queued, Pending)) {
			to.timer.release()
			continue
		}
		if !w.queued() {
			err = to.timer.push(to)
		}
		return true, err
	}
}

// isBetweenRuns reports whether w is that of a series which has expired and not
// come to run yet: Stop still can prevent that run, and with it the series.
func (to *Timeout) isBetweenRuns(w word) bool {
	if w.state() != Expired {
		return false
	}
	_, ok := to.task.(*series)
	return ok
}

// claim makes to Expired if its deadline is no later than due, and reports
// whether it did: the caller then owes its task one run. A queued timeout is
// not claimed, it waits for the next drain.
func (to *Timeout) claim(due int64) bool {
	for {
		w := to.load()
		if w.state() != Pending || w.queued() || w.deadline() > due {
			return false
		}
		if to.cas(w, w.settled(Expired)) {
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
