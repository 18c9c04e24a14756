package idle_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
)

// A connection that belongs to other code is watched without a wrapper.
func ExampleWatch() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
	defer tm.Stop()
	server, client := connected()
	defer client.Close()

	w, err := idle.Watch(tm, server, 50*time.Millisecond, func(c net.Conn) { c.Close() })
	if errors.Is(err, errors.ErrUnsupported) {
		// Not TCP on Linux: a Conn works everywhere.
		server, err = idle.NewConn(tm, server, 50*time.Millisecond)
	} else {
		defer w.Stop()
	}
	fmt.Println("watched:", err)

	_, err = client.Read(make([]byte, 1)) // neither end sends anything
	fmt.Println("client:", err)
	// Output:
	// watched: <nil>
	// client: EOF
}

func ExampleWatcher_Stop() {
	tm := hashedwheel.MustNew()
	server, client := connected()
	defer client.Close()
	w, err := idle.Watch(tm, server, time.Minute, func(c net.Conn) { c.Close() })
	if err != nil {
		fmt.Println("true false") // no kernel to ask
		return
	}
	fmt.Println(w.Stop(), w.Stop())
	// Output: true false
}

// A Read that is blocked when the idle time is over returns ErrIdle.
func ExampleConn() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
	defer tm.Stop()
	server, client := connected()
	defer client.Close()

	conn, err := idle.NewConn(tm, server, 50*time.Millisecond, idle.WithOnIdle(func(c net.Conn) {
		c.SetWriteDeadline(time.Now().Add(time.Second)) // the peer may not read
		fmt.Fprint(c, "bye")
	}))
	if err != nil {
		return // hashedwheel.ErrFull or ErrStopped
	}
	defer conn.Close()
	_, err = conn.Read(make([]byte, 1))
	fmt.Println(err)
	fmt.Println(errors.Is(err, os.ErrDeadlineExceeded))
	said, _ := io.ReadAll(client)
	fmt.Printf("client was told %q\n", said)
	// Output:
	// idle: connection closed after its idle time
	// true
	// client was told "bye"
}

// The connection has no idle time while it serves a request, only while it waits for the next.
func ExampleConn_SetIdleTimeout() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
	defer tm.Stop()
	server, client := connected()
	defer client.Close()
	conn, err := idle.NewConn(tm, server, time.Minute)
	if err != nil {
		return
	}
	defer conn.Close()
	conn.SetIdleTimeout(0)
	fmt.Println("a report is made, in silence")
	conn.SetIdleTimeout(50 * time.Millisecond)
	_, err = conn.Read(make([]byte, 1))
	fmt.Println(err)
	// Output:
	// a report is made, in silence
	// idle: connection closed after its idle time
}

// An HTTP server uses the Listener like any other. Here a client connects and never sends its
// request.
func ExampleNewListener() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
	defer tm.Stop()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return
	}
	server := &http.Server{Handler: http.NotFoundHandler()}
	closed := idle.WithOnIdle(func(net.Conn) { fmt.Println("server: closed a connection as idle") })
	go server.Serve(idle.NewListener(tm, l, 50*time.Millisecond, closed))
	defer server.Close()

	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return
	}
	defer client.Close()
	_, err = client.Read(make([]byte, 1))
	fmt.Println("client:", err)
	// Output:
	// server: closed a connection as idle
	// client: EOF
}

// connected returns both ends of a TCP connection.
func connected() (server, client net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer l.Close()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		panic(err)
	}
	if server, err = l.Accept(); err != nil {
		panic(err)
	}
	return server, client
}
