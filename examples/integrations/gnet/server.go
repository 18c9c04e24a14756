// Package gnet closes the idle connections of a github.com/panjf2000/gnet server.
package gnet

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/panjf2000/gnet/v2"
)

// A Server is a gnet.EventHandler that closes a connection on which no data was received for the time Idle. An event
// loop has no goroutine for each connection, so it cannot use read deadlines. Instead it moves a Timeout whenever data
// is received.
//
// The Timer may have the executor Inline, since Close of a gnet.Conn only sends a message to its loop.
type Server struct {
	gnet.BuiltinEventEngine
	Timer   *hashedwheel.Timer
	Idle    time.Duration
	Traffic func(gnet.Conn) gnet.Action // handles the data that was received
}

// A conn is the context of a connection. Add your own data here. It must not be copied.
type conn struct {
	gnet.Conn
	idle hashedwheel.Timeout
}

// Run is called by the Timer at the deadline. gnet allows Close outside the connection's loop.
func (c *conn) Run(*hashedwheel.Timeout) { _ = c.Close() }

// OnOpen arms the timeout. If the Timer is stopped or full, nothing would close the connection later, so OnOpen does.
func (s *Server) OnOpen(nc gnet.Conn) ([]byte, gnet.Action) {
	c := &conn{Conn: nc}
	nc.SetContext(c)
	if c.idle.Init(s.Timer, c).Arm(s.Idle) != nil {
		return nil, gnet.Close
	}
	return nil, gnet.None
}

// OnTraffic moves the timeout. (If the loop has read the clock for the event, use MoveAt.)
func (s *Server) OnTraffic(nc gnet.Conn) gnet.Action {
	if !nc.Context().(*conn).idle.Move(s.Idle) {
		return gnet.None // the deadline has just passed, and the connection is being closed
	}
	return s.Traffic(nc)
}

// OnClose stops the timeout, so that the Timer no longer refers to the connection.
func (s *Server) OnClose(nc gnet.Conn, _ error) gnet.Action {
	nc.Context().(*conn).idle.Stop()
	return gnet.None
}
