package main

import (
	"errors"
	"io"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
)

// A way gives nc an idle time, of which told is informed just before nc is closed for
// it. What comes back is to be used in place of nc. Its Close leaves nothing pending.
type way func(tm *hashedwheel.Timer, nc net.Conn, d time.Duration, told func()) (net.Conn, error)

// watch leaves nc as it is.
func watch(tm *hashedwheel.Timer, nc net.Conn, d time.Duration, told func()) (net.Conn, error) {
	w, err := idle.Watch(tm, nc, d, func() {
		told()
		_ = nc.Close()
	})
	return watched{nc, w}, err
}

type watched struct {
	net.Conn
	watcher *idle.Watcher
}

func (c watched) Close() error {
	c.watcher.Stop()
	return c.Conn.Close()
}

// count wraps nc. The struct around it hides that it is TCP: on Linux the Conn would
// not count otherwise, but have it watched.
func count(tm *hashedwheel.Timer, nc net.Conn, d time.Duration, told func()) (net.Conn, error) {
	return idle.NewConn(tm, struct{ net.Conn }{nc}, d, idle.OnIdle(func(net.Conn) { told() }))
}

// A server echoes what it reads, and has connections closed that are idle.
type server struct {
	name     string
	way      way
	timer    *hashedwheel.Timer // one for all its connections
	idle     time.Duration
	listener net.Listener
	running  sync.WaitGroup // accept, and one goroutine a connection

	open, closed, reads atomic.Int64

	mu      sync.Mutex
	endings []ending // guarded by mu
}

// An ending is how a connection ended, as the server saw it.
type ending struct {
	idle bool          // closed by the server as idle; else the client hung up
	late time.Duration // of an idle close, counted from the last word + idle time; negative is early
	last byte          // the last word of the client
	err  error         // if neither: what broke the connection
}

func listen(name string, way way, timer *hashedwheel.Timer, idle time.Duration) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{name: name, way: way, timer: timer, idle: idle, listener: l}
	s.running.Go(s.accept)
	return s, nil
}

func (s *server) addr() string { return s.listener.Addr().String() }

// close accepts no more and waits until every connection has ended.
func (s *server) close() {
	_ = s.listener.Close()
	s.running.Wait()
}

func (s *server) accept() {
	for {
		nc, err := s.listener.Accept()
		if err != nil {
			return // closed
		}
		s.open.Add(1)
		s.running.Go(func() { s.record(s.serve(nc)) })
	}
}

func (s *server) record(e ending) {
	s.open.Add(-1)
	if e.idle {
		s.closed.Add(1)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.endings = append(s.endings, e)
}

// serve echoes what it reads until the client hangs up or has been idle. It knows
// nothing of idle times: its Read fails when the connection has been closed for one.
func (s *server) serve(nc net.Conn) ending {
	var said, told atomic.Pointer[time.Time] // just before the last word was sent; when it was idle
	now := func(at *atomic.Pointer[time.Time]) {
		t := time.Now()
		at.Store(&t)
	}
	now(&said)
	c, err := s.way(s.timer, nc, s.idle, func() { now(&told) })
	if err != nil {
		_ = nc.Close()
		return ending{err: err}
	}
	defer c.Close()

	word := make([]byte, 1)
	for err == nil {
		if _, err = c.Read(word); err == nil {
			s.reads.Add(1)
			now(&said)
			_, err = c.Write(word)
		}
	}
	if at := told.Load(); at != nil {
		return ending{idle: true, late: at.Sub(said.Load().Add(s.idle)), last: word[0]}
	}
	if errors.Is(err, io.EOF) {
		err = nil // the client hung up
	}
	return ending{last: word[0], err: err}
}
