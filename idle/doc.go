// Package idle closes connections on which no data has been received or sent for some time.
//
//	l = idle.NewListener(tm, l, 2*time.Minute)                                 // every connection that l accepts
//	c, err := idle.NewConn(tm, c, 2*time.Minute)                               // one connection
//	w, err := idle.Watch(tm, c, 2*time.Minute, func(c net.Conn) { c.Close() }) // without a wrapper: TCP on Linux
//
// [NewListener] and [NewConn] work on every system and for every net.Conn: they return
// connections that close themselves. [Watch] calls a function when a connection has been idle. It
// wraps nothing, and so suits connections that belong to a framework.
//
// All connections share one [hashedwheel.Timer]; for idle times of minutes a tick of 100 ms to 1 s
// is right. There is no goroutine for each connection, and no deadline is set or changed.
//
// # Who counts
//
// On Linux the kernel keeps the time of the last data on a TCP connection. When the idle time is
// over, a task of the timer queries the kernel, so reads and writes cost nothing. Everywhere else a
// Conn counts in its own Read and Write.
//
//	connection                                     Linux        elsewhere
//	*net.TCPConn, or a type that embeds one        the kernel   the Conn
//	a type with a method NetConn that returns      the kernel   the Conn
//	    one of these, as *tls.Conn has
//	any other: net.Pipe, Unix sockets, UDP,        the Conn     the Conn
//	    a type that embeds a net.Conn
//
// Multipath TCP, which a Go server uses if a client requests it, is one of the other
// connections. So is TCP under gVisor, which answers with zeros. Where the kernel does not count,
// Watch returns errors.ErrUnsupported.
//
// # Data hidden from the kernel
//
// The kernel does not count data that a BPF program redirects from socket to socket (a sockmap, as
// some service meshes use between a program and its proxy on the same machine), nor data that a
// network card or a user-space stack handles by itself. A connection that carries only such data
// looks idle, and is closed. The kernel gives no sign of this. The option [Counted] makes a Conn
// count itself; Watch cannot.
//
// # Which data counts
//
// Data in either direction counts. So a download, or a stream of logs, is not idle at either end,
// although nothing is sent the other way. With [ReceivedOnly] only received data counts, which
// closes the sending end of such a stream. Keep-alive probes, acknowledgments and the end of the
// other side's data do not count. Some cases may surprise you:
//
//   - A server that sends heartbeats sees no idle peer, because its own heartbeats count: give it
//     ReceivedOnly, and let the peers answer.
//   - A connection is also idle while a handler works and reads and writes nothing: call
//     SetIdleTimeout(0) before the work and SetIdleTimeout(d) after it.
//   - The kernel counts data when it arrives, a Conn when it is read.
//   - Under TLS the kernel counts the records of TLS, also during the handshake.
//   - Data that a vanished peer does not acknowledge is sent again and again, at intervals
//     that double, up to two minutes, and the kernel counts each of them. So an idle time longer
//     than these intervals begins only when the kernel gives up the connection, after about 15
//     minutes. With ReceivedOnly the connection is closed sooner.
//   - A Write that is blocked because the peer does not read sends nothing: the connection is
//     idle, unless the peer still sends.
//
// # Unread data
//
// To close a connection while received data waits unread resets it: the data is lost, and the peer
// gets an error in place of an answer. So when an idle time is over, Conn and Watcher query the
// socket for unread data (on Linux, Windows, macOS and the BSDs). A connection with unread data is
// not idle: this end is slow, not the peer. It stays open until the data has been read and a whole
// idle time, or up to two, has passed after that.
//
// If this end does not read at all, the connection is closed after 64 idle times. Otherwise
// a single byte from the peer would keep it open forever. So an end that only writes should
// read and discard, in a goroutine that ends with the connection: go io.Copy(io.Discard, c).
// Clients of TLS should do the same, because servers send them session tickets. Unread data does
// not count after CloseRead of a Conn nor, on Linux, on a connection that the peer has reset.
//
// Data in the buffers of a program does not count: in a bufio.Reader, in TLS, or in a connection
// without a socket. Nor can a Conn query a socket that the connection inside hides, as a struct that
// embeds a net.Conn does.
//
// # Writes to slow readers
//
// Where the kernel counts, each segment counts. Where a Conn counts, a Write counts when the
// connection inside has taken the data. How slow a reader may be depends on the connection:
//
//   - Connections that are known to be streams (net.Pipe and the *net.TCPConn, *net.UnixConn and
//     *tls.Conn of the standard library) are written to in pieces of 8 KiB. So a Write of any
//     length keeps the connection open while the peer takes 8 KiB in each idle time: with two
//     minutes 70 bytes a second.
//   - A socket whose buffer is full takes no piece until a good part of the buffer is free: on
//     Linux 150 KiB of a Unix socket's, more than a megabyte of TCP's. There a Conn that finds
//     data in the socket's buffer when the idle time is over checks again one idle time later,
//     and a piece or segment that has left the buffer keeps the connection open. Other systems wake
//     a Write sooner, so their sockets are not queried.
//   - On any other connection a Write may be a message, as of a WebSocket, and is passed on
//     whole: it must end within one idle time.
//
// An idle time does not bound a Write: a peer that sends but does not read keeps a Write blocked
// forever. Give writes a time limit: SetWriteDeadline, or a [hashedwheel.Timeout] next to the
// connection that is Reset before each Write and stopped after it, and whose task closes the
// connection: see example_write_test.go.
//
// # net/http
//
// If requests and answers are short, http.Server's limits are enough: IdleTimeout for the time
// between two requests, ReadHeaderTimeout for the time until a request has arrived, ReadTimeout and
// WriteTimeout for a whole request. A Listener of this package adds a limit for silence within a
// request that may last long in total: an upload that stalls, a download whose reader has gone, or a
// hijacked connection such as a WebSocket, for which the server has no limit.
//
// A handler that works in silence for longer than the idle time must suspend it. Otherwise the
// connection is closed, and clients repeat a GET whose connection was closed without an answer.
// [ConnContext] and [FromContext] give a handler its Conn, through TLS as well: see the example
// of FromContext.
//
// # How late
//
// A connection is never closed early, and an idle time that SetIdleTimeout sets begins at the call. But data that is
// sent or arrives in the very moment at which the idle time has ended may be too late: a few in a thousand that were
// aimed at that moment. Where a Conn counts, the close is up to one tick of the timer late; where the kernel counts,
// in steps of 1 to 10 ms, up to 20 ms more. A busy executor adds to that, as do data in the socket's buffers and a
// vanished peer (above).
//
// The kernel counts real time, 49 days at most: a longer idle time never ends. A
// [hashedwheel.ManualClock] or a bubble of testing/synctest does not move the kernel's clock. To
// test in virtual time use net.Pipes: example_bubble_test.go has a Listener of them.
//
// # When the timer is full or stopped
//
// NewConn and Watch return hashedwheel.ErrFull or ErrStopped, and the caller must close the
// connection. A Listener closes the connection, and closes itself if the timer was stopped: see
// [NewListener].
//
// Only a new connection can be refused because the timer is full. Under hashedwheel.WithMaxPending a
// Conn has one place until it has been closed, also while it has no idle time, and a Watcher until
// Stop is called or onIdle returns. So the bound is the most connections at a time.
//
// Once the timer has been stopped no connection is closed as idle any more, except one whose idle time was
// over by then, and whose task is under way.
//
// # What it costs
//
// Each time an idle time is over, a task looks at the connection, for about a microsecond. Where the
// kernel counts, nothing in between. Where a Conn counts: 36 ns for each Read and Write that moves data,
// while a SetReadDeadline takes 150. To make and stop a Watcher takes 1.4 µs. A Conn or a Watcher
// is at most 300 bytes: 30 MB for 100,000 connections. A net.Buffers is written to a Conn slice by
// slice; a connection with a Watcher keeps its writev.
//
// Each of these tasks counts as Expired in the timer's Stats: to count closed connections, use
// OnIdle.
//
// In a server you will not see a difference. An echo server with 9,920 connections
// takes 17 to 21 µs of CPU for each word, the client's share included, whether with no idle
// time, SetReadDeadline, a Conn or a Watch. There this package saves only code: a deadline
// set at each read. (Linux, AMD EPYC, two cores, Go 1.26: go test -run '^$'
// -bench . ./idle, and in bench -bench Echo ./idle. Other systems were not measured.)
//
// # TLS
//
// Put this package below TLS: tls.NewListener(idle.NewListener(...), config). Then
// net/http finds the *tls.Conn that it needs for HTTP/2. Watch takes a *tls.Conn as it
// is. A Conn around a *tls.Conn also works, but TLS may take up to five seconds to close.
package idle
