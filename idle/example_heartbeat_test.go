package idle_test

import (
	"fmt"
	"io"
	"net"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
)

// A server sends a heartbeat every 20 seconds to a peer that reads and never answers. The heartbeats
// count as data, so the connection is idle only if received data alone counts.
func ExampleWithReceivedOnly() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()

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
