package main

import (
	"context"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"google.golang.org/grpc"
)

// A watcher keeps an eye on the calls of a client while they are in flight. It
// reports each that is not answered within the limit, at that moment: a call that
// hangs is in the log while it hangs, not when it has ended, if it ever does.
//
// It does not end a call: for that a call has the deadline of its context. Streams
// would be watched in the same way, by a grpc.StreamClientInterceptor.
type watcher struct {
	timer    *hashedwheel.Timer
	limit    time.Duration
	onLate   func(method string, after time.Duration)            // the limit has passed
	onReturn func(method string, after time.Duration, err error) // a late call has ended

	pool sync.Pool // of *call
}

// A call is one in flight, and the task of the timeout that watches it.
type call struct {
	watcher *watcher
	timeout hashedwheel.Timeout // by value; a call must not be copied
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
		c.timeout.Init(timer, c) // once: a Timeout that was used is armed again, never overwritten
		return c
	}
	return w
}

// unary is a grpc.UnaryClientInterceptor. What it adds to a call is a clock read, an
// arming and a Stop, without a lock or an allocation.
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

// end puts the call back in the pool if its timeout was stopped. One that has expired
// is left to the collector: Run may still be reading it. If the Timer has been stopped
// or is full, calls go unwatched, and that is all.
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
