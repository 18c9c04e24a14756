package main

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// books is the promises about one timeout, one call after another: the sequential specification.
// The README has it in words.
type books struct {
	state  hashedwheel.State
	lo, hi int64 // the deadline of the last arming lies between
	phase  phase
	open   int8 // calls that have had their first point and not yet their second

	// notBefore is the latest deadline at which this timeout has expired. That
	// is no earlier than the deadline, and so is all that comes after.
	notBefore int64
}

// phase is how far Timer.Stop has come with a timeout.
type phase uint8

const (
	serving phase = iota
	refusing
	over // whatever is pending now will be refused by the call that armed it
)

// room is what WithMaxPending leaves to an arming.
type room struct {
	free bool // there is a place for it
	full bool // it may find none
}

// after returns what b may be after e, or nothing if e must not happen now.
func (b books) after(e event, r room) []books {
	if e.ret < b.notBefore {
		return nil
	}
	if e.met {
		b.open++
	}
	switch e.what {
	case reset:
		return b.reset(e, r)
	case move:
		return b.move(e)
	case schedule, afterFunc:
		return b.arm(e, r)
	case stop:
		return b.stop(e)
	case state:
		return b.provided(b.state == e.state)
	case deadline:
		return b.deadline(e)
	case run:
		return b.expire(e)
	case settle:
		return b.settle()
	case closing:
		b.phase = max(b.phase, refusing)
		return b.provided(true)
	case collect:
		return b.collect(e)
	}
	return nil
}

func (b books) provided(legal bool) []books {
	if !legal {
		return nil
	}
	return []books{b}
}

func (b books) in(s hashedwheel.State) books {
	b.state = s
	return b
}

// reset moves a pending arming, or begins one. If the arming is refused because the timer is
// stopped, settle ends it: until then another call may find it pending.
func (b books) reset(e event, r room) (next []books) {
	pending := b.state == hashedwheel.Pending
	if e.yes != pending {
		return nil
	}
	b.lo, b.hi = e.lo, e.hi
	if pending || r.free {
		next = append(next, b.in(hashedwheel.Pending))
	}
	if !pending && r.full {
		next = append(next, b.in(hashedwheel.Rejected))
	}
	return next
}

// move moves a pending arming, or does nothing.
func (b books) move(e event) []books {
	if e.yes {
		b.lo, b.hi = e.lo, e.hi
	}
	return b.provided(e.yes == (b.state == hashedwheel.Pending))
}

// arm is Schedule and AfterFunc. No other goroutine has the timeout yet, so a refusal needs no
// second point.
func (b books) arm(e event, r room) (next []books) {
	if b.state != hashedwheel.Unarmed {
		return nil
	}
	b.lo, b.hi = e.lo, e.hi
	tells := func(told refusal) bool { return e.what == afterFunc || e.told == told }
	if tells(accepted) && r.free && b.phase < over {
		next = append(next, b.in(hashedwheel.Pending))
	}
	if tells(stopped) && b.phase >= refusing || tells(full) && r.full {
		next = append(next, b.in(hashedwheel.Rejected))
	}
	return next
}

func (b books) stop(e event) []books {
	if pending := b.state == hashedwheel.Pending; e.yes != pending {
		return nil
	}
	if e.yes {
		b.state = hashedwheel.Canceled
	}
	return b.provided(true)
}

// deadline also learns: of an arming's deadline only bounds may have been known.
func (b books) deadline(e event) []books {
	if armed := b.state != hashedwheel.Unarmed; !armed || !e.yes {
		return b.provided(armed == e.yes)
	}
	if e.lo < b.lo || e.hi > b.hi {
		return nil
	}
	b.lo, b.hi = e.lo, e.hi
	return b.provided(true)
}

// expire is the moment at which the task is handed to the executor. It is no
// earlier than the deadline, and no later than the task begins.
func (b books) expire(e event) []books {
	if b.state != hashedwheel.Pending || b.phase == over || e.ret < b.lo {
		return nil
	}
	b.state = hashedwheel.Expired
	b.notBefore = max(b.notBefore, b.lo)
	return b.provided(true)
}

// settle is the latest moment at which a call on a timer that is being stopped refuses its arming,
// unless it leaves that to another call under way. It comes after the first point of some open
// call; which call makes no difference.
func (b books) settle() (next []books) {
	if b.open == 0 {
		return nil
	}
	b.open--
	pending := b.state == hashedwheel.Pending
	if !pending || b.phase < over || b.open > 0 {
		next = append(next, b)
	}
	if pending && b.phase >= refusing {
		next = append(next, b.in(hashedwheel.Rejected))
	}
	return next
}

// collect returns the timeout if it is pending, once, except an arming that a call under way will
// refuse.
func (b books) collect(e event) []books {
	pending, isFirst := b.state == hashedwheel.Pending, b.phase < over
	b.phase = over
	switch e.in[e.timeout] {
	case 0:
		return b.provided(!pending || b.open > 0)
	case 1:
		return b.in(hashedwheel.Canceled).provided(pending && isFirst)
	}
	return nil
}

func (b books) String() string {
	s := b.state.String()
	if b.state != hashedwheel.Unarmed {
		s += fmt.Sprintf(" for %v", event{lo: b.lo, hi: b.hi}.span())
	}
	if b.phase != serving {
		s += [...]string{"", ", timer stopping", ", timer stopped"}[b.phase]
	}
	if b.open > 0 {
		s += fmt.Sprintf(", %d calls open", b.open)
	}
	if b.notBefore > 0 {
		s += fmt.Sprintf(", not before %v", time.Duration(b.notBefore))
	}
	return s
}
