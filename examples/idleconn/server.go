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

// A way closes nc after an idle time of d, and calls onIdle just before. The server uses the
// returned connection in place of nc. Its Close also stops the timeout.
type way func(tm *hashedwheel.Timer, nc net.Conn, d time.Duration, onIdle func()) (net.Conn, error)

// watch leaves nc as it is.
func watch(tm *hashedwheel.Timer, nc net.Conn, d time.Duration, onIdle func()) (net.Conn, error) {
	w, err := idle.Watch(tm, nc, d, func(net.Conn) {
		onIdle()
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

// count wraps nc. The struct hides that nc is a TCP connection, which a Conn on Linux would
// have watched.
func count(tm *hashedwheel.Timer, nc net.Conn, d time.Duration, onIdle func()) (net.Conn, error) {
	return idle.NewConn(tm, struct{ net.Conn }{nc}, d, idle.OnIdle(func(net.Conn) { onIdle() }))
}

// A server echoes all data, and closes idle connections.
type server struct {
	name     string
	way      way
	timer    *hashedwheel.Timer // for all its connections
	idle     time.Duration
	listener net.Listener
	running  sync.WaitGroup // accept, and a goroutine for each connection

	reads atomic.Int64

	mu      sync.Mutex
	open    int      // connections now; guarded by mu
	endings []ending // guarded by mu
}

// An ending is how a connection ended, as the server saw it.
type ending struct {
	idle bool          // closed by the server as idle, not by the client
	late time.Duration // of an idle close, after the last word + idle time; negative is early
	last byte          // the last word of the client
	err  error         // why the connection broke, if neither side closed it
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

// close accepts no more connections and waits until all have ended.
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
		s.mu.Lock()
		s.open++
		s.mu.Unlock()
		s.running.Go(func() { s.record(s.serve(nc)) })
	}
}

func (s *server) record(e ending) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open--
	s.endings = append(s.endings, e)
}

// now returns how many connections are open, were closed as idle, and were closed by their
// clients. Their sum is the number of all connections so far.
func (s *server) now() (open, closed, hungUp int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, e := range s.endings {
		if e.idle {
			closed++
		}
	}
	return s.open, closed, len(s.endings) - closed
}

// serve echoes all data until the client hangs up or is idle. It has no code for idle times:
// Read fails once the connection was closed.
func (s *server) serve(nc net.Conn) ending {
	var said, idle atomic.Pointer[time.Time] // when the last word was read; when the idle time was over
	now := func(at *atomic.Pointer[time.Time]) {
		t := time.Now()
		at.Store(&t)
	}
	now(&said)
	c, err := s.way(s.timer, nc, s.idle, func() { now(&idle) })
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
	if at := idle.Load(); at != nil {
		return ending{idle: true, late: at.Sub(said.Load().Add(s.idle)), last: word[0]}
	}
	if errors.Is(err, io.EOF) {
		err = nil // the client hung up
	}
	return ending{last: word[0], err: err}
}
