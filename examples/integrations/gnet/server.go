package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"sync"
	"sync/atomic"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/panjf2000/gnet/v2"
)

// A server echoes all data, and closes connections without traffic. It is a gnet.EventHandler: the
// event loops call its On methods.
type server struct {
	gnet.BuiltinEventEngine
	timer *hashedwheel.Timer
	loop  *loopWheel // drives timer, from OnTick; nil if the timer has a worker
	idle  time.Duration

	booted chan gnet.Engine
	moved  atomic.Int64

	mu     sync.Mutex
	closed []time.Duration // lateness of the idle closes; guarded by mu
	kept   int             // connections closed by the client; guarded by mu
}

// A conn is the context of a gnet connection.
type conn struct {
	gnet.Conn
	timeout hashedwheel.Timeout // a conn must not be copied
	due     time.Time           // of the last traffic in time; only for the loop
	idle    atomic.Bool
}

// Run is called by the timer when there was no traffic for the idle time. Close is safe outside the
// connection's loop.
func (c *conn) Run(*hashedwheel.Timeout) {
	c.idle.Store(true)
	_ = c.Close()
}

// OnOpen arms the timeout. If the timer rejects it, OnOpen closes the connection.
func (s *server) OnOpen(nc gnet.Conn) ([]byte, gnet.Action) {
	c := &conn{Conn: nc}
	c.timeout.Init(s.timer, c)
	nc.SetContext(c)
	c.due = time.Now().Add(s.idle)
	c.timeout.ResetAt(c.due)
	if c.timeout.Err() != nil {
		return nil, gnet.Close
	}
	return nil, gnet.None
}

// OnTraffic reads the clock once for the whole event, and moves the timeout by one CAS. If the
// timeout was not pending, it has expired and the connection is being closed: OnTraffic stops
// the new arming.
func (s *server) OnTraffic(nc gnet.Conn) gnet.Action {
	c := nc.Context().(*conn)
	due := time.Now().Add(s.idle)
	if !c.timeout.ResetAt(due) {
		c.timeout.Stop()
		return gnet.None
	}
	c.due = due
	s.moved.Add(1)
	if _, err := nc.WriteTo(nc); err != nil { // echo
		return gnet.Close
	}
	return gnet.None
}

// OnClose stops the timeout, so that the timer no longer refers to the connection.
func (s *server) OnClose(nc gnet.Conn, _ error) gnet.Action {
	c := nc.Context().(*conn)
	c.timeout.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.idle.Load() {
		s.closed = append(s.closed, time.Since(c.due))
	} else {
		s.kept++
	}
	return gnet.None
}

// OnTick is called by the first event loop if there is a loopWheel, and again after the returned
// time.
func (s *server) OnTick() (time.Duration, gnet.Action) {
	now := time.Now()
	s.loop.turn(now)
	return max(time.Millisecond, s.loop.sleep(now, s.timer.Tick())), gnet.None
}

// OnBoot sends the engine to start.
func (s *server) OnBoot(e gnet.Engine) gnet.Action {
	s.booted <- e
	return gnet.None
}

// start serves in the background until stop is called.
func (s *server) start() (addr string, stop func() error, err error) {
	if addr, err = freeAddr(); err != nil {
		return "", nil, err
	}
	s.booted = make(chan gnet.Engine, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- gnet.Run(s, "tcp://"+addr, gnet.WithNumEventLoop(2), gnet.WithTicker(s.loop != nil), gnet.WithLogger(quiet{}))
	}()
	select {
	case engine := <-s.booted:
		return addr, func() error { return errors.Join(engine.Stop(context.Background()), <-ended) }, nil
	case err := <-ended:
		return "", nil, err
	}
}

// quiet drops the engine's log: the program checks the results.
type quiet struct{}

func (quiet) Debugf(string, ...any) {}
func (quiet) Infof(string, ...any)  {}
func (quiet) Warnf(string, ...any)  {}
func (quiet) Errorf(string, ...any) {}
func (quiet) Fatalf(string, ...any) {}

func (s *server) print(w io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', 0)
	defer t.Flush()
	fmt.Fprintf(t, "closed as idle\t%d\n", len(s.closed))
	fmt.Fprintf(t, "kept, until the client hung up\t%d\n", s.kept)
	fmt.Fprintf(t, "timeouts moved\t%d\n", s.moved.Load())
	fmt.Fprintf(t, "expired\t%d\n", s.timer.Stats().Expired)
	if slices.Sort(s.closed); len(s.closed) > 0 {
		fmt.Fprintf(t, "closed late by\t%v to %v\n", s.closed[0].Round(10*time.Microsecond),
			s.closed[len(s.closed)-1].Round(10*time.Microsecond))
	}
}

// verdict returns the promise that did not hold, or nil. A stalled machine may keep a talking client
// silent for the idle time, so more connections may be closed than clients fell silent.
func (s *server) verdict(clients, left int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case len(s.closed)+s.kept != clients:
		return fmt.Errorf("%d clients, but %d connections ended", clients, len(s.closed)+s.kept)
	case len(s.closed) < clients/2:
		return fmt.Errorf("%d clients fell silent, but %d connections were closed", clients/2, len(s.closed))
	case slices.Min(s.closed) < 0:
		return fmt.Errorf("a connection was closed %v early", -slices.Min(s.closed))
	case left > 0:
		return fmt.Errorf("%d timeouts outlived their connections", left)
	}
	return nil
}
