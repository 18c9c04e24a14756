package idle_test

import (
	"io"
	"net"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
)

// A PipeListener is a Listener for tests: its connections are net.Pipes, which no kernel counts.
type PipeListener struct {
	conns  chan net.Conn
	closed chan struct{}
	once   sync.Once
}

func NewPipeListener() *PipeListener {
	return &PipeListener{conns: make(chan net.Conn), closed: make(chan struct{})}
}

// Dial returns the client's end of a connection, once Accept has returned the other.
func (l *PipeListener) Dial() (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case l.conns <- server:
		return client, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *PipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

func (l *PipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

func (l *PipeListener) Addr() net.Addr { return &net.UnixAddr{Name: "test", Net: "pipe"} }

// echo is the server under test. It takes any Listener.
func echo(tm *hashedwheel.Timer, l net.Listener) error {
	l = idle.NewListener(tm, l, 2*time.Minute)
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go func() {
			defer c.Close()
			io.Copy(c, c)
		}()
	}
}

// echoClosesSilentConnections is a test: name yours TestEchoClosesSilentConnections.
func echoClosesSilentConnections(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew() // in the bubble
		defer tm.StopAll()
		l := NewPipeListener()
		defer l.Close()
		go echo(tm, l)

		c, err := l.Dial()
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			time.Sleep(time.Minute) // which takes no time
			io.WriteString(c, "!")
			if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
				t.Error("it was not silent for two minutes:", err)
			}
		}
		start := time.Now()
		if _, err := c.Read(make([]byte, 1)); err != io.EOF {
			t.Error(err)
		}
		if late := time.Since(start) - 2*time.Minute; late < 0 || late > tm.Tick() {
			t.Errorf("late by %v", late)
		}
	})
}

// A server is tested in a testing/synctest bubble, where minutes take no time. Its connections are net.Pipes, since for
// TCP on Linux the kernel counts, in real time.
func Example_bubble() {
	var t *testing.T // the parameter of your test
	echoClosesSilentConnections(t)
}
