package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// withLimit is context.WithTimeout on a hashedwheel.Timer: the context ends after d, at most one
// tick late, with the Err context.DeadlineExceeded. As with WithTimeout, the caller must call
// cancel when done. If the timer is stopped or full, the returned context has already ended, and
// context.Cause returns ErrStopped or ErrFull.
//
// It costs as much as context.WithTimeout, and more under a parent that can be canceled: the
// program prints both. If your own struct, a connection or a call, has the limit, put a Timeout
// into it instead.
func withLimit(parent context.Context, tm *hashedwheel.Timer, d time.Duration) (context.Context, context.CancelFunc) {
	deadline := time.Now().Add(d)
	if at, ok := parent.Deadline(); ok && at.Before(deadline) || parent.Err() != nil {
		return context.WithCancel(parent) // the parent ends before that
	}
	h := &hidden{Context: parent, deadline: deadline}
	h.timeout.Init(tm, h)
	ctx, cancel := context.WithCancel(h) // calls h.AfterFunc
	if parent.Done() != nil {
		h.forget = context.AfterFunc(parent, h.follow)
	}
	h.timeout.Reset(d)
	if err := h.timeout.Err(); err != nil {
		cancel()
		return refused(parent, err)
	}
	if h.Err() != nil { // the parent ended before there was anything to stop
		h.timeout.Stop()
	}
	return ctx, cancel
}

// refused returns a context that has ended.
func refused(parent context.Context, why error) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	cancel(why)
	return ctx, func() {}
}

// hidden is between the caller's parent and the context that withLimit returns. Only package
// context uses it: it calls Deadline and Value, AfterFunc to be notified of the end, and then
// Err. The returned context is a standard one, so its children start no goroutine, and end
// with the same Err and Cause.
type hidden struct {
	context.Context // the caller's parent
	deadline        time.Time
	timeout         hashedwheel.Timeout
	err             atomic.Pointer[error] // why it has ended; nil if it has not
	notify          func()                // ends the returned context; set before timeout is armed
	forget          func() bool           // unties from the parent, nil if the parent cannot end; set before timeout is armed
}

func (h *hidden) Deadline() (time.Time, bool) { return h.deadline, true }

// Done returns a channel that is never closed. If it were nil, package context would assume that
// h never ends; if it were the parent's, that h is the parent.
func (h *hidden) Done() <-chan struct{} { return never }

var never = make(chan struct{})

func (h *hidden) Err() error {
	if err := h.err.Load(); err != nil {
		return *err
	}
	return nil
}

// AfterFunc is called once, by context.WithCancel. When the returned context is canceled, package
// context calls stop.
func (h *hidden) AfterFunc(f func()) (stop func() bool) {
	h.notify = f
	return func() bool {
		h.untie()
		return h.timeout.Stop()
	}
}

// Run is the timeout's task: it ends the context.
func (h *hidden) Run(*hashedwheel.Timeout) {
	h.untie()
	h.end(context.DeadlineExceeded)
}

// follow ends h with its parent.
func (h *hidden) follow() {
	h.end(h.Context.Err())
	h.timeout.Stop() // after end: withLimit looks at Err once it has armed the timeout
}

func (h *hidden) end(why error) {
	if h.err.CompareAndSwap(nil, &why) {
		h.notify()
	}
}

func (h *hidden) untie() {
	if h.forget != nil {
		h.forget()
	}
}
