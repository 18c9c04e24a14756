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

// A server echoes, and closes connections without traffic. It is gnet's EventHandler;
// its On methods are called by the event loops.
type server struct {
	gnet.BuiltinEventEngine
	timer *hashedwheel.Timer
	idle  time.Duration

	booted chan gnet.Engine
	moved  atomic.Int64

	mu     sync.Mutex
	closed []time.Duration // how late each idle close was; guarded by mu
	kept   int             // closed by the client; guarded by mu
}

// A conn is what gnet keeps as the context of a connection.
type conn struct {
	gnet.Conn
	timeout hashedwheel.Timeout // by value: a conn must not be copied
	due     time.Time           // of the last arming in time; the loop's
	idle    atomic.Bool
}

// Run is called by the timer when there was no traffic for the idle time. Of all that
// a gnet.Conn has, Close is safe outside its loop.
func (c *conn) Run(*hashedwheel.Timeout) {
	c.idle.Store(true)
	_ = c.Close()
}

// OnOpen arms the timeout. If the timer refuses it, the connection is refused.
func (s *server) OnOpen(nc gnet.Conn) ([]byte, gnet.Action) {
	c := &conn{Conn: nc}
	c.timeout.Init(s.timer, c)
	nc.SetContext(c)
	c.due = s.timer.Now().Add(s.idle)
	c.timeout.ResetAt(c.due)
	if c.timeout.Err() != nil {
		return nil, gnet.Close
	}
	return nil, gnet.None
}

// OnTraffic reads the clock once, for whatever needs the time of this event, and moves
// the timeout by it: one CAS. If it was no longer pending it has expired, and the
// connection is as good as closed: the new arming is taken back.
func (s *server) OnTraffic(nc gnet.Conn) gnet.Action {
	c := nc.Context().(*conn)
	due := s.timer.Now().Add(s.idle)
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

// OnClose stops the timeout, so that nothing of the connection is held any longer.
func (s *server) OnClose(nc gnet.Conn, _ error) gnet.Action {
	c := nc.Context().(*conn)
	c.timeout.Stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.idle.Load() {
		s.closed = append(s.closed, s.timer.Now().Sub(c.due))
	} else {
		s.kept++
	}
	return gnet.None
}

// OnBoot tells start that there is an engine.
func (s *server) OnBoot(e gnet.Engine) gnet.Action {
	s.booted <- e
	return gnet.None
}

// start serves in the background, until stop.
func (s *server) start() (addr string, stop func() error, err error) {
	if addr, err = freeAddr(); err != nil {
		return "", nil, err
	}
	s.booted = make(chan gnet.Engine, 1)
	ended := make(chan error, 1)
	go func() {
		ended <- gnet.Run(s, "tcp://"+addr, gnet.WithNumEventLoop(2), gnet.WithLogger(quiet{}))
	}()
	select {
	case engine := <-s.booted:
		return addr, func() error { return errors.Join(engine.Stop(context.Background()), <-ended) }, nil
	case err := <-ended:
		return "", nil, err
	}
}

// quiet is the engine's logger. What goes wrong the program finds out by itself.
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

// verdict returns what went wrong, or nil. A client that a stalled machine kept from
// talking for the idle time is closed rightly, so there may be more closes than silent clients.
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
