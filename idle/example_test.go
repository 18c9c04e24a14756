package idle_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
)

// A connection that belongs to other code is watched without a wrapper.
func ExampleWatch() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
	defer tm.StopAll()
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

// A Read that is blocked when the idle time is over returns ErrIdle.
func ExampleConn() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
	defer tm.StopAll()
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

// A server with its own protocol uses the Listener like any other. Here a client connects and sends nothing.
func ExampleNewListener() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
	defer tm.StopAll()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return
	}
	l = idle.NewListener(tm, l, 50*time.Millisecond)
	defer l.Close()
	ended := make(chan error)
	go func() {
		conn, err := l.Accept() // in a server, in a loop
		if err == nil {
			defer conn.Close()
			_, err = io.Copy(conn, conn) // echoes
		}
		ended <- err
	}()

	client, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return
	}
	defer client.Close()
	_, err = client.Read(make([]byte, 1))
	fmt.Println("client:", err)
	fmt.Println("server:", <-ended)
	// Output:
	// client: EOF
	// server: idle: connection closed after its idle time
}

// A server sends a heartbeat every 20 seconds to a peer that reads but never answers. The heartbeats count as data, so
// the connection is idle only if nothing but received data counts.
func ExampleWithReceivedOnly() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()

	for _, opts := range [][]idle.Option{{}, {idle.WithReceivedOnly()}} {
		server, peer := net.Pipe()
		go io.Copy(io.Discard, peer)
		conn, err := idle.NewConn(tm, server, time.Minute, opts...)
		if err != nil {
			return // hashedwheel.ErrFull or ErrStopped
		}
		sent := 0
		for ; err == nil && sent < 100; sent++ {
			clock.Advance(20 * time.Second)
			_, err = io.WriteString(conn, "heartbeat\n")
		}
		fmt.Println(sent, err)
		conn.Close()
	}
	// Output:
	// 100 <nil>
	// 3 idle: connection closed after its idle time
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
