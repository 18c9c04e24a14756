package main

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A conn is a connection and its idle timeout. It is also the task that runs
// when the timeout expires, so the three are one allocation.
type conn struct {
	net.Conn
	idle hashedwheel.Timeout // by value; a conn must not be copied
}

// past is any time before now: a read deadline that has already passed.
var past = time.Unix(1, 0)

// Run is called by the timer when nothing was read for the idle time. It only
// wakes the reader, who owns the connection and closes it. Should that have been
// closed already, SetReadDeadline does nothing and says so, and nobody minds.
func (c *conn) Run(*hashedwheel.Timeout) {
	_ = c.SetReadDeadline(past)
}

// A server echoes what it reads, and closes connections that are idle.
type server struct {
	timer    *hashedwheel.Timer
	idle     time.Duration
	listener net.Listener
	running  sync.WaitGroup // accept, and one goroutine a connection

	open, closed, reads, moved atomic.Int64

	mu      sync.Mutex
	endings []ending // guarded by mu
}

// An ending is how a connection ended, as the server saw it.
type ending struct {
	idle bool          // closed by the server as idle; else the client hung up
	late time.Duration // of an idle close, counted from last read + idle time; negative is early
	last byte          // the last word of the client
	err  error         // if neither: what broke the connection
}

func listen(timer *hashedwheel.Timer, idle time.Duration) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{timer: timer, idle: idle, listener: l}
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

// serve echoes what it reads until the client hangs up or falls idle.
//
// A read and the expiry may come at the same moment. ResetAt tells which was
// first: true, and the timeout was still pending and has been moved; false, and
// it had expired, so the read deadline is set or about to be, and cannot be
// taken back. Such a connection is closed as idle, rightly: its time was up.
func (s *server) serve(nc net.Conn) ending {
	c := &conn{Conn: nc}
	defer c.Close()
	c.idle.Init(s.timer, c)
	defer c.idle.Stop()

	word := make([]byte, 1)
	deadline := time.Now().Add(s.idle)
	c.idle.ResetAt(deadline)
	for {
		_, err := c.Read(word)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return ending{idle: true, late: time.Since(deadline), last: word[0]}
		}
		if err != nil {
			return hungUp(word[0], err)
		}
		s.reads.Add(1)
		next := time.Now().Add(s.idle)
		if !c.idle.ResetAt(next) {
			return ending{idle: true, late: time.Since(deadline), last: word[0]}
		}
		s.moved.Add(1)
		deadline = next
		if _, err := c.Write(word); err != nil {
			return hungUp(word[0], err)
		}
	}
}

func hungUp(last byte, err error) ending {
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return ending{last: last, err: err}
}
