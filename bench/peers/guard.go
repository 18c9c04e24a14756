package peers

import (
	"net"
	"net/http"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
)

// A Guard closes idle connections of a server.
type Guard struct {
	Listen func(net.Listener) net.Listener
	HTTP   func(*http.Server) // in place of Listen, if the server can do it itself
}

// guardTick is the tick of our timers.
const guardTick = 100 * time.Millisecond

// servers are the loads with a server.
var servers = []string{"echo", "http"}

// guards are peers for servers alone.
func guards() []Peer {
	return []Peer{
		{Name: Unguarded, What: "no idle timeout at all", Loads: servers, Guard: func(time.Duration) Guard {
			return Guard{Listen: func(l net.Listener) net.Listener { return l }}
		}},
		{Name: "idle-conn", What: "this library's idle.NewListener", Loads: servers, Guard: func(d time.Duration) Guard {
			tm := hashedwheel.MustNew(hashedwheel.WithTick(guardTick))
			return Guard{Listen: func(l net.Listener) net.Listener { return idle.NewListener(tm, l, d) }}
		}},
		{Name: "idle-watch", What: "this library's idle.Watch, Linux only", Loads: servers, Guard: func(d time.Duration) Guard {
			tm := hashedwheel.MustNew(hashedwheel.WithTick(guardTick))
			return onAccept(func(c net.Conn) net.Conn {
				if _, err := idle.Watch(tm, c, d, func(c net.Conn) { c.Close() }); err != nil {
					panic(err)
				}
				return c
			})
		}},
	}
}

// Unguarded is the peer that closes no connection.
const Unguarded = "none"

// guardByTimer moves a timeout of t at each read of a connection.
func guardByTimer(t Timer) func(d time.Duration) Guard {
	return func(d time.Duration) Guard {
		return onAccept(func(c net.Conn) net.Conn {
			return &timedConn{Conn: c, d: d, own: Own(t, func() { c.Close() })}
		})
	}
}

// guardByDeadline sets a deadline at each read; net/http does that itself.
func guardByDeadline(d time.Duration) Guard {
	g := onAccept(func(c net.Conn) net.Conn { return &deadlineConn{c, d} })
	g.HTTP = func(s *http.Server) { s.IdleTimeout = d }
	return g
}

func onAccept(wrap func(net.Conn) net.Conn) Guard {
	return Guard{Listen: func(l net.Listener) net.Listener { return &guardedListener{l, wrap} }}
}

type guardedListener struct {
	net.Listener
	wrap func(net.Conn) net.Conn
}

func (l *guardedListener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.wrap(c), nil
}

type timedConn struct {
	net.Conn
	d   time.Duration
	own Owned
}

func (c *timedConn) Read(p []byte) (int, error) {
	c.own.Reset(c.d)
	return c.Conn.Read(p)
}

func (c *timedConn) Close() error {
	c.own.Stop()
	return c.Conn.Close()
}

type deadlineConn struct {
	net.Conn
	d time.Duration
}

func (c *deadlineConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(c.d)); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}
