// Package idle closes connections that nobody talks on.
//
//	l = idle.NewListener(tm, l, 2*time.Minute) // every connection that l accepts
//	w, err := idle.Watch(tm, c, 2*time.Minute, func() { c.Close() }) // one connection, as it is
//
// There are three ways in:
//
//   - [Watch] calls a function when a connection has been idle. It works for TCP on
//     Linux, where the kernel keeps the books: it wraps nothing, costs nothing per read
//     or write, and suits connections that belong to a framework.
//   - [NewConn] returns a connection that closes itself, on every system and for every
//     net.Conn. Where Watch works it is what the Conn uses; elsewhere it counts for itself.
//   - [NewListener] makes a Conn of every connection accepted.
//
// All connections share the one [hashedwheel.Timer] they are given. No goroutine waits
// for each, and the deadlines that the user sets stay as they are.
//
// # What counts
//
// Data counts that has come or gone, in either direction, so that a long download with
// nothing the other way is not idle; with [ReceivedOnly] only what comes counts. Keep-alive
// probes, acknowledgements and the other side's closing are no data. Three cases may
// surprise:
//
//   - The kernel counts data when it arrives, a Conn that counts for itself when it is read.
//   - Data that a peer does not acknowledge, because it has vanished, is sent again
//     and again, at intervals that double, up to two minutes. The kernel counts
//     each as sent. An idle time shorter than these intervals is soon over; a longer
//     one begins when the kernel gives the connection up, after some 15 minutes.
//     ReceivedOnly is not held up by that.
//   - A Write that waits for a peer that no longer reads is idle either way: nothing goes.
//
// # How late
//
// Never early. A Conn that counts for itself is closed up to one tick of the timer after
// its idle time. The kernel counts in steps of 1 to 10 ms, so a watch may wait up to 20 ms
// more, to be certain. It counts real time: a timer on a [hashedwheel.ManualClock], or in
// a bubble of testing/synctest, does not move it. A test in virtual time uses a net.Pipe.
// An idle time longer than 49 days never comes: the kernel counts no further.
//
// # What it costs
//
// A Watcher, or a watched Conn, costs one look of about a microsecond each time its
// idle time is over, and nothing in between. A Conn that counts for itself moves its Timeout at
// each Read and Write: 36 ns, where SetReadDeadline takes 150. To make and stop a
// Watcher takes 1.4 µs.
//
// In a server that is lost in the price of the network. A word written and read over
// loopback is 12 µs, its way through an echo server with 9,920 connections 17 to 21 µs of
// CPU, the client's share included; and no difference shows between no idle time at all,
// SetReadDeadline, a Conn and a Watch. (AMD EPYC, two cores, Go 1.26: go test -run '^$'
// -bench . ./idle, and in bench -bench Echo ./idle.) What a Watch saves is
// code: the wrapper, and a deadline set at each read.
//
// # TLS
//
// Put this package below TLS: tls.NewListener(idle.NewListener(...), config). Then
// net/http finds the *tls.Conn that it needs for HTTP/2. A Watch takes a *tls.Conn as it
// is. A Conn around a *tls.Conn works too, but closing it may take TLS up to five seconds.
package idle
