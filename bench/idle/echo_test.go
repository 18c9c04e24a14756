//go:build unix

// Package idle measures the cost of idle timeouts in an echo server with thousands of connections, compared with the
// same server without idle timeouts.
package idle

import (
	"io"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/bench"
	"github.com/hashedwheel/hashedwheel/idle"
)

const (
	connections = 10_000 // fewer if the limit of open files is lower
	callers     = 32
	limit       = time.Minute
)

// A way gives a connection of the server an idle timeout, and returns the connection to use.
type way func(tm *hashedwheel.Timer, c net.Conn) (net.Conn, error)

type deadlined struct{ net.Conn }

func (c deadlined) Read(b []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(limit)); err != nil {
		return 0, err
	}
	return c.Conn.Read(b)
}

var ways = []struct {
	name string
	way  way
}{
	{"none", func(_ *hashedwheel.Timer, c net.Conn) (net.Conn, error) { return c, nil }},
	{"none again", func(_ *hashedwheel.Timer, c net.Conn) (net.Conn, error) { return c, nil }},
	{"SetReadDeadline", func(_ *hashedwheel.Timer, c net.Conn) (net.Conn, error) { return deadlined{c}, nil }},
	{"Conn that counts", func(tm *hashedwheel.Timer, c net.Conn) (net.Conn, error) {
		return idle.NewConn(tm, struct{ net.Conn }{c}, limit)
	}},
	{"Watch", func(tm *hashedwheel.Timer, c net.Conn) (net.Conn, error) {
		_, err := idle.Watch(tm, c, limit, func(c net.Conn) { _ = c.Close() })
		return c, err
	}},
}

// BenchmarkEcho sends a word to the server and waits for it to come back, each time on another connection. cpu-ns/op is
// the CPU time of the process, including the clients.
func BenchmarkEcho(b *testing.B) {
	for _, w := range ways {
		b.Run(w.name, func(b *testing.B) { echo(b, w.way) })
	}
}

func echo(b *testing.B, w way) {
	clients, stop := serve(b, w, allowed(b))
	defer stop()
	b.ResetTimer()
	before := bench.CPUTime()
	var running sync.WaitGroup
	for caller := range callers {
		running.Go(func() {
			word := []byte("!")
			for i := caller; i < b.N; i += callers {
				c := clients[i%len(clients)/callers*callers+caller]
				if _, err := c.Write(word); err != nil {
					b.Error(err)
					return
				}
				if _, err := io.ReadFull(c, word); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	running.Wait()
	b.ReportMetric(float64(bench.CPUTime()-before)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(len(clients)), "conns")
}

// serve starts an echo server, and returns the clients of n connections to it.
func serve(b *testing.B, w way, n int) (clients []net.Conn, stop func()) {
	tm := hashedwheel.MustNew()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	var running sync.WaitGroup
	for range n {
		client, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		server, err := l.Accept()
		if err != nil {
			b.Fatal(err)
		}
		c, err := w(tm, server)
		if err != nil {
			b.Fatal(err)
		}
		clients = append(clients, client)
		running.Go(func() {
			defer server.Close()
			word := make([]byte, 16)
			for {
				n, err := c.Read(word)
				if err != nil {
					return
				}
				if _, err = c.Write(word[:n]); err != nil {
					return
				}
			}
		})
	}
	return clients, func() {
		_ = l.Close()
		for _, c := range clients {
			_ = c.Close()
		}
		running.Wait()
		tm.StopAll()
	}
}

// allowed returns how many connections the limit of open files allows, a multiple of callers.
func allowed(b *testing.B) int {
	var files syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files); err != nil {
		b.Fatal(err)
	}
	return min(connections, int(min(files.Cur, 1<<30)-100)/2) / callers * callers
}
