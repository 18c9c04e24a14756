package main

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// withLimit is context.WithTimeout on a wheel: the context ends when d has passed,
// at most one tick later, and its Err is then context.DeadlineExceeded. As there, the
// caller must call cancel when done. If the timer refuses, because it is full or was
// stopped, the context has ended when it is returned, and context.Cause says why.
//
// Under a parent that can be cancelled it costs more than context.WithTimeout: run the
// program. If you own what the limit is for, a connection or a call, give it a Timeout
// of its own instead.
func withLimit(parent context.Context, tm *hashedwheel.Timer, d time.Duration) (context.Context, context.CancelFunc) {
	deadline := time.Now().Add(d)
	if at, ok := parent.Deadline(); ok && at.Before(deadline) || parent.Err() != nil {
		return context.WithCancel(parent) // it ends by itself before that
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

// hidden stands between the caller's parent and the context that withLimit returns.
// Nobody sees it but package context, which asks it four things: the Deadline, what
// to call when it ends (AfterFunc), and then why it ended (Err) and the values above
// it. The returned context is an ordinary one, so that what is made from it costs no
// goroutine, and ends with the same Err and Cause.
type hidden struct {
	context.Context // the caller's parent
	deadline        time.Time
	timeout         hashedwheel.Timeout
	err             atomic.Pointer[error] // why it has ended; nil: it has not
	tell            func()                // ends the returned context; set before timeout is armed
	forget          func() bool           // unties from the parent, nil if that cannot end; set before timeout is armed
}

func (h *hidden) Deadline() (time.Time, bool) { return h.deadline, true }

// Done returns a channel that is never closed. With nil, package context would take
// h for one that never ends; with the parent's, for the parent.
func (h *hidden) Done() <-chan struct{} { return never }

var never = make(chan struct{})

func (h *hidden) Err() error {
	if err := h.err.Load(); err != nil {
		return *err
	}
	return nil
}

// AfterFunc is called once, by context.WithCancel. What it returns is called when the
// returned context is cancelled.
func (h *hidden) AfterFunc(f func()) (stop func() bool) {
	h.tell = f
	return func() bool {
		h.untie()
		return h.timeout.Stop()
	}
}

// Run is the timeout's task: the time is up.
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
		h.tell()
	}
}

func (h *hidden) untie() {
	if h.forget != nil {
		h.forget()
	}
}
