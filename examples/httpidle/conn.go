package main

import (
	"net"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A conn is a connection, its idle timeout and the timeout's task, in one allocation.
type conn struct {
	net.Conn
	server *server
	idle   hashedwheel.Timeout // a conn must not be copied

	// For the report; a real server needs neither.
	wasIdle atomic.Bool // closed as idle
	last    atomic.Bool // the client has sent its last request
}

// Run is called by the timer when no request was received for the idle time. A request that is
// sent at this moment fails, as under Server.IdleTimeout, and HTTP clients send it again on
// another connection.
func (c *conn) Run(to *hashedwheel.Timeout) {
	late := time.Since(to.Deadline())
	c.wasIdle.Store(true)
	_ = c.Close()
	c.server.closedAsIdle(late)
}

// listener turns each accepted connection into a conn, which the server passes to its hooks.
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

// onState is the server's ConnState hook. For one connection its calls never overlap.
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
