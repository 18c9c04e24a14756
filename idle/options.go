package idle

import "net"

// An Option says what counts as idle, or what is done then.
type Option func(*options)

type options struct {
	receivedOnly bool
	onIdle       func(net.Conn)
}

func collect(opts []Option) (o options) {
	for _, opt := range opts {
		opt(&o)
	}
	return o
}

// OnIdle has f called when a connection has been idle: once, without a lock, in the
// timer's executor, and before the connection is closed, so that f can still write to
// it. f gets the [Conn], or the connection that was given to [Watch], before whose
// onIdle it is called.
//
// A Conn is closed once f has returned. If the peer does not read, a Write in f waits
// for ever, and with [hashedwheel.Inline] so does the timer: call SetWriteDeadline first.
func OnIdle(f func(net.Conn)) Option {
	if f == nil {
		panic("idle: OnIdle with a nil func")
	}
	return func(o *options) { o.onIdle = f }
}

// With ReceivedOnly only what is received keeps a connection open. It closes the connections of peers that only listen, in the middle of a
// download too, and closes those of vanished peers sooner: see "What counts" above.
func ReceivedOnly() Option {
	return func(o *options) { o.receivedOnly = true }
}
