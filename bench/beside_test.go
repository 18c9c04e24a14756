package bench

import (
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// startBeside starts another user of the time package's timers. Every server has some.
func startBeside(b *testing.B, what string) (end func()) {
	switch what {
	case "timer":
		return repeat(7 * ms)
	case "3timers":
		return repeat(5*ms, 7*ms, 11*ms)
	case "conn":
		return converse(b)
	}
	return nop
}

// repeat starts a function by time.AfterFunc for each interval, which only arms itself again.
func repeat(intervals ...time.Duration) (end func()) {
	var all []Owned
	for _, every := range intervals {
		var own Owned
		own = stdTimer{}.New(func() { own.Reset(every) })
		own.Reset(every)
		all = append(all, own)
	}
	return func() {
		for _, own := range all {
			for !own.Stop() { // the function is running, and arms itself again
				time.Sleep(ms)
			}
		}
	}
}

// converse starts a client and a server that exchange bytes over loopback TCP. The client sends a byte, waits for the
// answer, and sleeps for 3 ms. Both set a read deadline before each read. end waits for both goroutines. If the
// connection fails before that, b fails.
func converse(b *testing.B) (end func()) {
	client, server := connect(b)
	var over atomic.Bool
	var both sync.WaitGroup
	repeatTurn := func(turn func() error) {
		both.Go(func() {
			for !over.Load() {
				if err := turn(); err != nil && !over.Load() {
					b.Errorf("the connection failed: %v", err)
					return
				}
			}
		})
	}
	repeatTurn(func() error {
		if err := send(client); err != nil {
			return err
		}
		defer time.Sleep(3 * ms)
		return receive(client)
	})
	repeatTurn(func() error {
		if err := receive(server); err != nil {
			return err
		}
		return send(server)
	})
	return func() {
		over.Store(true)
		_ = client.Close()
		_ = server.Close()
		both.Wait()
	}
}

// connect returns the two ends of a TCP connection.
func connect(b *testing.B) (client, server net.Conn) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer l.Close()
	if client, err = net.Dial("tcp", l.Addr().String()); err != nil {
		b.Fatal(err)
	}
	if server, err = l.Accept(); err != nil {
		b.Fatal(err)
	}
	return client, server
}

func send(c net.Conn) error {
	_, err := c.Write([]byte{1})
	return err
}

func receive(c net.Conn) error {
	if err := c.SetReadDeadline(time.Now().Add(deadline)); err != nil {
		return err
	}
	_, err := c.Read(make([]byte, 1))
	return err
}
