// Package idle closes connections on which no data has been received or sent for some time.
//
//	l = idle.NewListener(tm, l, 2*time.Minute)                                 // every connection that l accepts
//	c, err := idle.NewConn(tm, c, 2*time.Minute)                               // one connection
//	w, err := idle.Watch(tm, c, 2*time.Minute, func(c net.Conn) { c.Close() }) // without a wrapper: TCP on Linux
//
// [NewListener] and [NewConn] work on every system and for every net.Conn: they return connections that close
// themselves. [Watch] calls a function when a connection has been idle. It wraps nothing, and so suits connections that
// belong to a framework. There is no goroutine for each connection, and no deadline is set or changed.
//
// # Who counts
//
// On Linux the kernel keeps the time of the last data on a TCP connection. When the idle time is over, a task of the
// timer queries the kernel, so reads and writes cost nothing, and splice, sendfile and a Watcher's writev work as
// before. Everywhere else a Conn counts in its own Read and Write, at 36 ns each, and copies through memory.
//
//	connection                                        Linux        elsewhere
//	*net.TCPConn, or a type that embeds one           the kernel   the Conn
//	a type with a method NetConn that returns one     the kernel   the Conn
//	    of these, as *tls.Conn has
//	any other: net.Pipe, Unix sockets, UDP, a type    the Conn     the Conn
//	    that embeds a net.Conn, Multipath TCP
//
// Where the kernel does not count, as also under gVisor, Watch returns errors.ErrUnsupported. The kernel gives no sign
// of data that a BPF program redirects from socket to socket (a sockmap, as some service meshes use), or that a network
// card handles by itself: such a connection looks idle. The option [WithCounting] makes a Conn count itself.
//
// # Which data counts
//
// Data in either direction counts, so a download is not idle at either end. With [WithReceivedOnly] only received data
// counts. Keep-alive probes, acknowledgments and the end of the other side's data do not count. The kernel counts data
// when it arrives, a Conn when it is read; under TLS the kernel counts records, also of the handshake.
//
// A connection is also idle while a handler works in silence: call SetIdleTimeout(0) before the work and
// SetIdleTimeout(d) after it. In net/http [ConnContext] and [FromContext] give a handler its Conn. Data that a vanished
// peer does not acknowledge is sent again at intervals that double, up to two minutes, and the kernel counts each of
// them: a longer idle time begins only when the kernel gives up the connection, after about 15 minutes. With
// WithReceivedOnly it is closed sooner.
//
// # Heartbeats and large messages
//
// A server that sends pings sees no idle peer, because its pings count: it needs WithReceivedOnly. A server that sends
// messages which take a peer longer than the idle time to receive cannot have it: the peer reads all the time, has
// nothing to answer yet, and is closed. In place of this package, a server that does both gives each connection a
// [hashedwheel.Timeout] that each pong and each finished Write moves: see the Example of Timeout.Move. The limit must
// be longer than the largest message takes.
//
// # Unread data
//
// To close a connection while received data waits unread would reset it, and the peer would get an error in place of an
// answer. So a connection with unread data is not idle: this end is slow, not the peer. It stays open until the data
// has been read and a whole idle time, or up to two, has passed after that; if this end does not read at all, for 64
// idle times. So an end that only writes should read and discard: go io.Copy(io.Discard, c). Clients of TLS also,
// because servers send them session tickets. Data in a program's buffers does not count, nor in a socket that the
// connection inside hides.
//
// # Writes to slow readers
//
// Where the kernel counts, each segment counts. Where a Conn counts, a Write to a stream (net.Pipe, *net.TCPConn,
// *net.UnixConn, *tls.Conn) is made in pieces of 8 KiB, each of which counts: with two minutes a peer must read 70
// bytes a second. On any other connection a Write may be a message, as of a WebSocket: it is passed on whole, and must
// end within one idle time.
//
// An idle time bounds no Write: a peer that sends but does not read blocks it forever. Use SetWriteDeadline, or a
// hashedwheel.Timeout next to the connection: see the Example of Timeout.Reset named Write.
//
// # Datagrams, TLS, and other Listeners
//
// A UDP socket that many peers send to is one connection: give each address a key of package keyed in place of this
// one. On a connected UDP socket an empty datagram does not count, and a datagram that waits unread keeps it open like
// other unread data.
//
// Put this package below TLS: tls.NewListener(idle.NewListener(...), config). Then net/http finds the *tls.Conn that it
// needs for HTTP/2. A Conn around a *tls.Conn also works, but TLS may take up to five seconds to close.
//
// Put netutil.LimitListener inside: idle.NewListener(tm, netutil.LimitListener(l, n), d). Then an idle close frees the
// connection's place at once; outside, the place stays taken until the handler closes the connection, and FromContext
// finds no Conn. The price is that the connections of LimitListener hide their sockets: the Conn counts, without splice
// and sendfile, and does not see unread data.
//
// # How late
//
// No connection is closed early, but data in the very moment at which the idle time ends may be too late: a few in a
// thousand that were aimed at it. Where a Conn counts, the close is up to one tick of the timer late, where the kernel
// counts up to 20 ms more. For idle times of minutes a tick of 100 ms to 1 s is right. The kernel counts real time, 49
// days at most: to test in virtual time use net.Pipes, as the Example named Bubble does.
//
// # When the timer is full or stopped
//
// NewConn and Watch return hashedwheel.ErrFull or ErrStopped, and the caller must close the connection. A Listener
// closes the connection, and itself if the timer was stopped. Under
// hashedwheel.WithMaxPending a Conn has one place until it has been closed, also while it has no idle time, and a
// Watcher until Stop is called or onIdle returns: the bound is the most connections at a time. Once the timer has been
// stopped no connection is closed as idle any more, except one whose task is under way.
//
// # What it costs
//
// Each time an idle time is over, a task looks at the connection for about a microsecond, and counts as Expired in the
// timer's Stats. A Conn or a Watcher takes at most 300 bytes. Compared with a SetReadDeadline at each read a server
// saves code, not CPU time: an echo server takes 17 to 21 µs for each word with either (bench: -bench Echo ./idle).
package idle
