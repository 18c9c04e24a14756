// Package idle closes connections that nobody talks on.
//
//	l = idle.NewListener(tm, l, 2*time.Minute)                       // every connection that l accepts
//	c, err := idle.NewConn(tm, c, 2*time.Minute)                     // one connection
//	w, err := idle.Watch(tm, c, 2*time.Minute, func() { c.Close() }) // one as it is: TCP on Linux
//
// [NewListener] and [NewConn] work on every system and for every net.Conn: they return
// connections that close themselves. [Watch] wraps nothing, and so suits connections that
// belong to a framework; it calls a function when a connection has been idle.
//
// All connections share the one [hashedwheel.Timer] they are given; for minutes a tick
// of 100 ms to 1 s is right. There is no goroutine for each, and the deadlines that you set
// stay as they are.
//
// # Who counts
//
// On Linux the kernel knows when data last came and went on a TCP connection. The timer
// asks it when the idle time is over, so reads and writes cost nothing. Everywhere else a
// Conn counts in its own Read and Write.
//
//	connection                                     Linux        elsewhere
//	*net.TCPConn, or a type that embeds one        the kernel   the Conn
//	a type with a method NetConn that returns      the kernel   the Conn
//	    one of these, as *tls.Conn has
//	any other: net.Pipe, Unix sockets, UDP,        the Conn     the Conn
//	    a type that embeds a net.Conn
//
// Multipath TCP, which a Go server speaks with clients that ask for it, is among the
// others. Where the kernel does not count, Watch returns errors.ErrUnsupported.
//
// # What counts
//
// Data in either direction. So a download, or a stream of logs, is not idle at either end
// although nothing goes the other way. With [ReceivedOnly] only what comes counts: that
// closes the sending end of such a stream. Keep-alive probes, acknowledgements and the
// other side's closing are not data. Five cases may surprise:
//
//   - A handler that works for longer than the idle time, while nothing is read or written,
//     is idle too: call SetIdleTimeout(0) before it and SetIdleTimeout(d) after.
//   - The kernel counts data when it arrives, a Conn when it is read.
//   - Behind TLS the kernel counts the records of TLS, the handshake too.
//   - Data that a vanished peer does not acknowledge is sent again and again, at intervals
//     that double, up to two minutes, and the kernel counts each as sent. So an idle time
//     longer than these intervals begins only when the kernel gives the connection
//     up, after some 15 minutes. With ReceivedOnly it does not wait for that.
//   - A Write that waits for a peer that no longer reads sends nothing: that is idle,
//     unless the peer still talks.
//
// # Writes that wait
//
// An idle time does not bound a Write: a peer that talks, but does not read, keeps it
// waiting for ever. Give writes a time of their own, by SetWriteDeadline, or by a
// [hashedwheel.Timeout] beside the connection that is Reset before each Write and stopped
// after it, and whose task closes the connection: see example_write_test.go.
//
// # How late
//
// Never early. Where a Conn counts, up to one tick of the timer after the idle time; where
// the kernel counts, in steps of 1 to 10 ms, up to 20 ms more. A busy executor adds to that,
// and so do a vanished peer (above) and a full timer (below).
//
// The kernel counts real time, 49 days at most: a longer idle time never ends. A
// [hashedwheel.ManualClock], or a bubble of testing/synctest, does not move its clock.
// To test in virtual time use a net.Pipe.
//
// # When the timer is full or stopped
//
// NewConn and Watch return hashedwheel.ErrFull or ErrStopped, and the connection is the
// caller's to close. A Listener closes the connection: see [NewListener].
//
// Once the timer has been stopped nothing is closed as idle any more. A connection that
// needs a new place in a full timer, after the kernel was asked for instance, tries
// again after each eighth of its idle time, so it may be closed late.
//
// # What it costs
//
// Where the kernel counts: about a microsecond each time an idle time is over, nothing in
// between. Where a Conn counts: 36 ns for each Read and Write that moves data;
// SetReadDeadline takes 150. To make and stop a Watcher takes 1.4 µs. A Conn or a Watcher
// is at most 300 bytes: 30 MB for 100,000 connections. net.Buffers writes to a Conn one by
// one; a connection that is watched keeps its writev.
//
// Each question to the kernel counts as Expired in the timer's Stats, each retry in a full
// timer as Rejected: to count what was closed, use OnIdle.
//
// In a server you will not see a difference. An echo server with 9,920 connections
// takes 17 to 21 µs of CPU for each word, the client's share included, be it with no idle
// time, SetReadDeadline, a Conn or a Watch. What this package saves there is code: a
// deadline set at each read. (Linux, AMD EPYC, two cores, Go 1.26: go test -run '^$'
// -bench . ./idle, and in bench -bench Echo ./idle. Other systems were not measured.)
//
// # TLS
//
// Put this package below TLS: tls.NewListener(idle.NewListener(...), config). Then
// net/http finds the *tls.Conn that it needs for HTTP/2. Watch takes a *tls.Conn as it
// is. A Conn around a *tls.Conn works too, but closing it may take TLS up to five seconds.
package idle
