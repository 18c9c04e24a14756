package main

import (
	"bufio"
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// A server answers the calls of one client, most of them in time.
type server struct {
	listener net.Listener
	lateBy   time.Duration
	running  sync.WaitGroup
	sent     atomic.Int64 // answers
}

func listen(lateBy time.Duration) (*server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &server{listener: l, lateBy: lateBy}
	s.running.Go(s.accept)
	return s, nil
}

func (s *server) addr() string { return s.listener.Addr().String() }

// close waits until the client has hung up and all answers are sent. It may be called twice.
func (s *server) close() {
	_ = s.listener.Close()
	s.running.Wait()
}

func (s *server) accept() {
	nc, err := s.listener.Accept()
	if err != nil {
		return // closed
	}
	defer nc.Close()
	s.serve(nc)
}

// serve answers until the client has hung up and the last late answer is sent. Of a hundred
// calls it never answers two, answers two too late, and the others at once. It delays answers by
// package time, so that the delay does not depend on the timer under test.
func (s *server) serve(nc net.Conn) {
	in := &frameReader{r: bufio.NewReader(nc)}
	out := &frameWriter{w: nc}
	var delayed sync.WaitGroup
	defer delayed.Wait()
	for {
		f, err := in.read()
		if err != nil {
			return
		}
		switch f.id % 50 {
		case 0:
		case 25:
			delayed.Add(1)
			time.AfterFunc(s.lateBy, func() {
				defer delayed.Done()
				s.answer(out, f)
			})
		default:
			s.answer(out, f)
		}
	}
}

func (s *server) answer(out *frameWriter, f frame) {
	if out.write(frame{f.id, result(f.value)}) == nil {
		s.sent.Add(1)
	}
}

// result is the server's answer. It differs for each argument, so that a caller notices the
// answer to another call.
func result(argument uint64) uint64 { return ^argument }
