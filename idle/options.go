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

// OnIdle has f called when a connection has been idle: once, with nothing locked, in
// the timer's executor, and before the connection is closed, so that f can still write
// to it. A [Conn] is passed as such, for a [Listener]'s connections too; a watched
// connection as it was given to [Watch], before its onIdle.
func OnIdle(f func(net.Conn)) Option {
	if f == nil {
		panic("idle: OnIdle with a nil func")
	}
	return func(o *options) { o.onIdle = f }
}

// ReceivedOnly has only what is received keep a connection open; what is sent does
// not count. It ends the connections of peers that only ever listen, and sooner those
// of peers that have vanished: see the package comment on retransmissions.
func ReceivedOnly() Option {
	return func(o *options) { o.receivedOnly = true }
}
