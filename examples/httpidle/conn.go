package main

import (
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A conn is a connection and its idle timeout. It is also the task that runs
// when the timeout expires, so the three are one allocation.
type conn struct {
	net.Conn
	server *server
	idle   hashedwheel.Timeout // by value; a conn must not be copied

	// What the report is made of; a server in earnest needs none of it.
	wasIdle atomic.Bool // closed as idle
	last    atomic.Bool // the client has said that it will not ask again
}

// Run is called by the timer when no request came for the idle time. Closing an
// idle connection is what the server would do itself. Should a request come at
// this very moment it fails, as it would with Server.IdleTimeout, and the client
// sends it again on another connection, as HTTP clients do.
func (c *conn) Run(to *hashedwheel.Timeout) {
	late := time.Since(to.Deadline())
	c.wasIdle.Store(true)
	_ = c.Close()
	c.server.closedAsIdle(late)
}

// listener makes conns of what it accepts: so the server's hooks get them too.
type listener struct {
	net.Listener
	server *server
}

func (l listener) Accept() (net.Conn, error) {
	nc, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &conn{Conn: nc, server: l.server}
	c.idle.Init(l.server.timer, c)
	return c, nil
}

// onState is the server's ConnState hook. It is called for one connection after
// another state of it, never twice at the same time.
func (s *server) onState(nc net.Conn, state http.ConnState) {
	c := nc.(*conn)
	switch state {
	case http.StateNew:
		s.open.Add(1)
		c.idle.Reset(s.idleTime)
	case http.StateIdle:
		c.idle.Reset(s.idleTime)
	case http.StateActive:
		c.idle.Stop()
	case http.StateClosed, http.StateHijacked:
		c.idle.Stop()
		s.ended(c)
	}
}
