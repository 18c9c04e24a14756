package idle

import "net"

// An Option changes when a connection is idle, or how it is closed or shown. If two Options of the same kind are given,
// the last one applies.
type Option func(*options)

type options struct {
	name         string
	onIdle       func(net.Conn)
	receivedOnly bool
	counting     bool
}

// collect's panic names the function that was called with the options.
func collect(function string, opts []Option) (o options) {
	for _, opt := range opts {
		if opt == nil {
			panic("idle: " + function + " with a nil Option")
		}
		opt(&o)
	}
	return o
}

// WithOnIdle sets a function that is called with the [Conn] when it has been idle: once, without a lock, in the timer's
// executor, and before the connection is closed, so that f can still write to it. The Conn is closed when f has
// returned or panicked. If the peer does not read, a Write in f waits forever, and with [hashedwheel.Inline] so does
// the timer: call SetWriteDeadline first. [Watch], which has its own function, refuses WithOnIdle.
func WithOnIdle(f func(net.Conn)) Option {
	if f == nil {
		panic("idle: WithOnIdle with a nil func")
	}
	return func(o *options) { o.onIdle = f }
}

// WithReceivedOnly lets only received data keep a connection open. A server that sends heartbeats needs it: otherwise
// they keep connections of silent peers open.
//
// It closes the connections of peers that only listen, even in the middle of a download. If a message may take longer
// to receive than the idle time, give each connection a [hashedwheel.Timeout] that is longer, and that each pong and
// each finished Write moves: see examples/recipes/peer_test.go.
func WithReceivedOnly() Option {
	return func(o *options) { o.receivedOnly = true }
}

// WithCounting makes a [Conn] count reads and writes itself even where the kernel counts. Without it a connection looks
// idle if a BPF program redirects its data from socket to socket (a sockmap, as some service meshes use), or a network
// card handles TCP by itself. [Watch] refuses WithCounting.
func WithCounting() Option {
	return func(o *options) { o.counting = true }
}

// WithName sets the name under which package inspect and Timeout.String show a connection whose idle time is pending.
// The default is "idle connection".
func WithName(name string) Option {
	return func(o *options) { o.name = name }
}
