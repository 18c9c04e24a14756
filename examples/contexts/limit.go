package main

import (
	"context"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// withLimit is context.WithTimeoutCause on a wheel: the context ends after d, at
// most one tick later, and its Cause is then context.DeadlineExceeded. Like there
// the caller must call cancel when it is done, which stops the timeout too.
//
// What it cannot do is to have its own Deadline and Err: it is a context that
// somebody cancels. For the one that asks, limited adds them.
func withLimit(parent context.Context, tm *hashedwheel.Timer, d time.Duration) (ctx context.Context, cancel func()) {
	inner, cancelCause := context.WithCancelCause(parent)
	deadline := time.Now().Add(d)
	timeout := tm.AfterFunc(d, func() { cancelCause(context.DeadlineExceeded) })
	untie := context.AfterFunc(parent, func() { timeout.Stop() })
	return &limited{inner, deadline}, func() {
		untie()
		timeout.Stop()
		cancelCause(nil)
	}
}

// limited is a context that knows its deadline, as a callee asks for it that
// passes it on: a dialer, a database driver, an RPC client.
type limited struct {
	context.Context
	deadline time.Time
}

// Deadline returns the earlier of its own and its parent's.
func (l *limited) Deadline() (time.Time, bool) {
	if at, ok := l.Context.Deadline(); ok && at.Before(l.deadline) {
		return at, true
	}
	return l.deadline, true
}

// Err tells the wheel's limit from a call of cancel.
func (l *limited) Err() error {
	if err := l.Context.Err(); err == nil || context.Cause(l.Context) != context.DeadlineExceeded {
		return err
	}
	return context.DeadlineExceeded
}
