// Package idle closes connections on which no data has been received or sent for some time.
//
//	l = idle.NewListener(tm, l, 2*time.Minute)                                 // every connection that l accepts
//	c, err := idle.NewConn(tm, c, 2*time.Minute)                               // one connection
//	w, err := idle.Watch(tm, c, 2*time.Minute, func(c net.Conn) { c.Close() }) // without a wrapper: TCP on Linux
//
// [NewListener] and [NewConn] work on every system and for every net.Conn. They change the type of the connection: a
// [Conn] is not a *net.TCPConn; its method NetConn returns the connection inside. [Watch] wraps nothing, and so suits
// connections that belong to a framework. There is no goroutine per connection, and no deadline is set.
//
// # What it is not for
//
//   - Keep-alive by packets or messages, as in MQTT. This package counts bytes: a part of a packet keeps a connection
//     open, and so do your own pings. Give each connection a [hashedwheel.Timeout] that each packet moves: see
//     examples/recipes/peer_test.go.
//   - Writes that must end. A peer that sends but does not read blocks a Write forever. Use SetWriteDeadline, or a
//     Timeout: see examples/integrations/websocket/conn.go.
//   - net/http, which has Server.IdleTimeout. A Listener would also close connections whose handler works in silence.
//     Where you need it, as for open HTTP/2 streams, give the handlers their Conn by [ConnContext].
//   - A UDP socket that many peers send to: it is one connection. Give each address a key of a keyed.Map.
//
// # Who counts
//
//	connection                                        Linux        elsewhere
//	*net.TCPConn, or a type that embeds one           the kernel   the Conn
//	a type with a method NetConn that returns one     the kernel   the Conn
//	    of these, as *tls.Conn has
//	any other: net.Pipe, Unix sockets, UDP, a type    the Conn     the Conn
//	    that embeds a net.Conn, Multipath TCP
//
// Where the kernel counts, a task of the timer queries it when the idle time is over: reads and writes cost nothing,
// and splice, sendfile and a Watcher's writev work as before. Elsewhere (and under gVisor) a Conn counts in its Read
// and Write, at 75 ns each (BenchmarkReadBookkeeping), and copies through memory; Watch does not work.
//
// # Which data counts
//
// Data in either direction counts; with [WithReceivedOnly], only received data does. Keep-alive probes, acknowledgments
// and the end of the other side's data do not count. The kernel counts data when it arrives, a Conn when it is read;
// under TLS the kernel counts all records. For about 15 minutes it resends data that a vanished peer does not
// acknowledge. That does not count: the connection is idle one to two idle times after the last new data or
// acknowledgment.
//
// A peer that reads slowly, while you write faster, must make room for new data within each idle time. Its system
// reports room in steps: about 10 KiB over a network, and hundreds of KiB over loopback or where packets are merged on
// their way. Between two steps the kernel reports the same about this peer as about one that does not read.
//
// A connection is idle even while a handler works in silence: call SetIdleTimeout(0) before the work and
// SetIdleTimeout(d) after it. In net/http, [ConnContext] and [FromContext] give a handler its Conn.
//
// http.Server.IdleTimeout closes no HTTP/2 connection with an open stream, and none that
// golang.org/x/net/http2/h2c has taken over, unless its http2.Server has an IdleTimeout. A Listener closes both, but
// counts each PING as data.
//
// # Unread data
//
// A connection with unread data is not idle, because a close would reset it: the peer would get an error in place of an
// answer. It stays open until the data has been read and one or two idle times have passed after that, or, if this end
// does not read, for 64 idle times. So an end that only writes should discard received data, and so should TLS clients,
// to which servers send session tickets: go io.Copy(io.Discard, c). Data in a program's buffers, data in a socket that
// the connection inside hides, and empty datagrams do not count.
//
// # Lateness and cost
//
// No connection is closed early, but data that arrives just as the idle time ends may be too late: a few of a thousand
// sends that were aimed at that moment. A connection is closed up to one tick late, and up to 20 ms more where the
// kernel counts. The kernel counts real time, 49 days at most: for tests in virtual time use net.Pipe (Example Bubble).
//
// A Conn or a Watcher takes at most 300 bytes. At each end of an idle time a task runs for about a microsecond, and
// counts as Expired in the timer's Stats. A read takes no longer with a Watcher, and 4 ns longer with a Conn where the
// kernel counts. A SetReadDeadline takes 170 to 190 ns for each read or packet (BenchmarkReadBookkeeping).
//
// hashedwheel.WithMaxPending bounds the number of open or watched connections: a new one is refused, an open one never.
// After Timer.StopAll no connection is closed as idle, except one whose task is under way.
package idle
