package peers

import (
	"errors"
	"net"
	"os"
	"time"
)

var stdConn = Peer{
	Name:   "std-conn",
	What:   "net.Conn.SetReadDeadline on TCP over loopback; http.Server.IdleTimeout in the load http",
	Cannot: "needs a connection for each timeout, so has at most as many as the process may open files for",
	Loads:  append([]string{"rearm", "move"}, servers...),
	Guard:  guardByDeadline,
	Most:   Connections(),
	Owns:   true,
	Open:   openConns,
}

// connTimer makes a connection for each timeout.
type connTimer struct {
	listener net.Listener
	conns    int // through the listener
}

// connsEach is below the number of ports from which one end of a connection chooses.
const connsEach = 20_000

func openConns(time.Duration) Timer {
	t := new(connTimer)
	t.listen()
	return t
}

func (t *connTimer) listen() {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	t.listener, t.conns = l, 0
}

// Own returns the read deadline of a new connection, on which a goroutine waits in Read.
func (t *connTimer) Own(f func()) Owned {
	if t.conns++; t.conns > connsEach {
		t.Close()
		t.listen()
	}
	client, err := net.Dial("tcp", t.listener.Addr().String())
	if err != nil {
		panic(err)
	}
	server, err := t.listener.Accept()
	if err != nil {
		panic(err)
	}
	go func() {
		if _, err := client.Read(make([]byte, 1)); errors.Is(err, os.ErrDeadlineExceeded) {
			f()
		}
	}()
	return &connOwned{client, server}
}

func (t *connTimer) Arm(d time.Duration, f func()) Armed {
	own := t.Own(f)
	own.Reset(d)
	return own
}

func (t *connTimer) Close() { t.listener.Close() }

type connOwned struct {
	net.Conn
	peer net.Conn // keeps the other end open
}

func (c *connOwned) Reset(d time.Duration) bool { return c.SetReadDeadline(time.Now().Add(d)) == nil }

func (c *connOwned) Stop() bool { return c.SetReadDeadline(time.Time{}) == nil }
