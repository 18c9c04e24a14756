package main

import (
	"context"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"google.golang.org/grpc"
)

// A watcher reports each call of a client that is not answered within the limit, at that moment: a
// call that hangs is in the log while it hangs.
//
// It does not end the call; the deadline of the call's context does. A grpc.StreamClientInterceptor
// would watch streams in the same way.
type watcher struct {
	timer    *hashedwheel.Timer
	limit    time.Duration
	onLate   func(method string, after time.Duration)            // the limit has passed
	onReturn func(method string, after time.Duration, err error) // a late call has ended

	pool sync.Pool // of *call
}

// A call is a call in flight, its timeout, and the timeout's task.
type call struct {
	watcher *watcher
	timeout hashedwheel.Timeout // a call must not be copied
	method  string
	start   time.Time
}

func newWatcher(timer *hashedwheel.Timer, limit time.Duration) *watcher {
	w := &watcher{
		timer:    timer,
		limit:    limit,
		onLate:   func(string, time.Duration) {},
		onReturn: func(string, time.Duration, error) {},
	}
	w.pool.New = func() any {
		c := &call{watcher: w}
		c.timeout.Init(timer, c) // once: a used Timeout is armed again, never overwritten
		return c
	}
	return w
}

// unary is a grpc.UnaryClientInterceptor. It adds a clock read, a ResetAt and a Stop to a call,
// without a lock or an allocation.
func (w *watcher) unary(ctx context.Context, method string, request, reply any, conn *grpc.ClientConn,
	invoke grpc.UnaryInvoker, opts ...grpc.CallOption) error {
	c := w.begin(method)
	err := invoke(ctx, method, request, reply, conn, opts...)
	w.end(c, err)
	return err
}

func (w *watcher) begin(method string) *call {
	c := w.pool.Get().(*call)
	c.method, c.start = method, time.Now()
	c.timeout.ResetAt(c.start.Add(w.limit))
	return c
}

// end puts the call back in the pool if its timeout was stopped. A call whose timeout has expired is
// left to the collector, since Run may still read it. If the Timer is stopped or full, calls are
// not watched.
func (w *watcher) end(c *call, err error) {
	switch {
	case c.timeout.Stop():
		w.pool.Put(c)
	case c.timeout.State() == hashedwheel.Expired:
		w.onReturn(c.method, time.Since(c.start), err)
	}
}

// Run is called by the Timer when the limit has passed.
func (c *call) Run(*hashedwheel.Timeout) {
	c.watcher.onLate(c.method, time.Since(c.start))
}
