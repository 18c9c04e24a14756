package main

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// what is the call that an event is, or one of its points.
type what uint8

const (
	reset     what = iota // Reset and ResetAt
	move                  // Move and MoveAt, which never begin an arming
	schedule              // Schedule, which returns whether and why it was refused
	afterFunc             // AfterFunc, which does not
	stop                  // Timeout.Stop
	state                 // Timeout.State
	deadline              // Timeout.Deadline
	run                   // an expiry: it ends when the task begins
	timerStop             // Timer.Stop, of the whole timer

	// Points, made by expand of the calls above.
	settle  // the end of a Reset, Move or Stop that meets Timer.Stop: a refusal is done by then
	closing // Timer.Stop begins to refuse this timeout's armings
	collect // Timer.Stop takes this timeout, or does not
)

// refusal is what Schedule said.
type refusal uint8

const (
	accepted refusal = iota
	stopped          // ErrStopped
	full             // ErrFull
)

const maxTimeouts = 8 // of one history

// event is one call on one timeout: when it began and ended, its arguments and results. Times are
// ns since the history began.
type event struct {
	what      what
	timeout   int
	client    int // the goroutine that called: worker, first, or from 1 on
	call, ret int64

	lo, hi int64              // the deadline that an arming asked for, or Deadline returned, lies between
	yes    bool               // what Reset, Move and Stop returned; that Deadline was not zero
	state  hashedwheel.State  // what State returned
	told   refusal            // what Schedule returned
	in     [maxTimeouts]uint8 // how often each timeout is in what Timer.Stop returned

	met   bool // it overlaps Timer.Stop or comes after: its end is a separate event
	slack int  // calls under way, each of which may hold a place of WithMaxPending
}

// Goroutines other than the clients that call together.
const (
	worker = -1 // the worker, or a task
	first  = 0  // who comes before and after
)

// arms reports whether e may begin or move an arming.
func (e event) arms() bool {
	return e.what == reset || e.what == move && e.yes || e.what == schedule || e.what == afterFunc
}

func (e event) overlaps(other event) bool { return e.call <= other.ret && other.call <= e.ret }

func (e event) String() string {
	name := fmt.Sprintf("timeout %d: ", e.timeout)
	switch e.what {
	case reset:
		return name + fmt.Sprintf("Reset to %v = %t", e.span(), e.yes)
	case move:
		return name + fmt.Sprintf("Move to %v = %t", e.span(), e.yes)
	case schedule:
		return name + fmt.Sprintf("Schedule at %v = %v", e.span(), e.told)
	case afterFunc:
		return name + fmt.Sprintf("AfterFunc at %v", e.span())
	case stop:
		return name + fmt.Sprintf("Stop = %t", e.yes)
	case state:
		return name + fmt.Sprintf("State = %v", e.state)
	case deadline:
		if !e.yes {
			return name + "Deadline = zero"
		}
		return name + fmt.Sprintf("Deadline = %v", e.span())
	case run:
		return name + "its task began"
	case settle:
		return name + "that call ended"
	case closing:
		return name + "Timer.Stop began"
	case collect:
		return name + fmt.Sprintf("Timer.Stop returned it %d times", e.in[e.timeout])
	}
	return fmt.Sprintf("Timer.Stop returned %v", e.in)
}

func (e event) span() string {
	if e.lo == e.hi {
		return time.Duration(e.lo).String()
	}
	return fmt.Sprintf("%v..%v", time.Duration(e.lo), time.Duration(e.hi))
}

func (r refusal) String() string { return [...]string{"accepted", "ErrStopped", "ErrFull"}[r] }
