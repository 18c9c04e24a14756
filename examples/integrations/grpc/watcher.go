// Package grpc watches the calls of a google.golang.org/grpc client.
package grpc

import (
	"context"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"google.golang.org/grpc"
)

// A Watcher reports a call as soon as the call has taken longer than a limit, so a call that hangs is in the log while
// it hangs. The Watcher does not end the call: the deadline of the call's context does. Its functions may be called
// concurrently.
type Watcher struct {
	OnLate   func(method string, after time.Duration)            // the limit has passed
	OnReturn func(method string, after time.Duration, err error) // a late call has returned

	limit time.Duration
	pool  sync.Pool // of *call
}

// A call is a call in flight, its timeout, and the timeout's task.
type call struct {
	watcher *Watcher
	timeout hashedwheel.Timeout // a call must not be copied
	method  string
	start   time.Time
}

// NewWatcher returns a Watcher without functions. Set both before the first call.
func NewWatcher(tm *hashedwheel.Timer, limit time.Duration) *Watcher {
	w := &Watcher{limit: limit}
	w.pool.New = func() any {
		c := &call{watcher: w}
		c.timeout.Init(tm, c) // only once: a used Timeout is armed again, never overwritten
		return c
	}
	return w
}

// Unary is a grpc.UnaryClientInterceptor. It adds a clock read, a ResetAt and a Stop to each call, without a lock or an
// allocation. (An interceptor for streams does the same.) If the Timer is stopped, calls are not watched.
func (w *Watcher) Unary(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn,
	invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	c := w.pool.Get().(*call)
	c.method, c.start = method, time.Now()
	c.timeout.ResetAt(c.start.Add(w.limit))
	err := invoke(ctx, method, request, reply, conn, opts...)
	switch {
	case c.timeout.Stop():
		w.pool.Put(c)
	case c.timeout.State() == hashedwheel.Expired: // Run may still read c, so c is not reused
		w.OnReturn(method, time.Since(c.start), err)
	}
	return err
}

// Run is called by the Timer when the limit has passed.
func (c *call) Run(*hashedwheel.Timeout) { c.watcher.OnLate(c.method, time.Since(c.start)) }
