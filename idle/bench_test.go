package idle_test

import (
	"net"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/require"
)

// The cost that an idle timeout adds to a read, compared with a deadline that would do the same:
// alone, over a connection whose Read does nothing, and over loopback.
//
//	go test -run '^$' -bench Read ./idle

const minute = time.Minute

// A reading is a way to limit the time between two reads.
type reading struct {
	name string
	of   func(b *testing.B, c net.Conn) func([]byte) (int, error)
}

var readings = []reading{
	{"none", func(_ *testing.B, c net.Conn) func([]byte) (int, error) { return c.Read }},
	{"SetReadDeadline", func(_ *testing.B, c net.Conn) func([]byte) (int, error) {
		return func(p []byte) (int, error) {
			if err := c.SetReadDeadline(time.Now().Add(minute)); err != nil {
				return 0, err
			}
			return c.Read(p)
		}
	}},
	{"Conn", func(b *testing.B, c net.Conn) func([]byte) (int, error) { return newConn(b, c).Read }},
	{"Watch", func(b *testing.B, c net.Conn) func([]byte) (int, error) {
		w, err := idle.Watch(hashedwheel.MustNew(), c, minute, func(net.Conn) {})
		require.NoError(b, err)
		b.Cleanup(func() { w.Stop() })
		return c.Read
	}},
}

func newConn(b *testing.B, c net.Conn) *idle.Conn {
	conn, err := idle.NewConn(hashedwheel.MustNew(), c, minute)
	require.NoError(b, err)
	b.Cleanup(func() { _ = conn.Close() })
	return conn
}

// A ready connection has a socket, for SetReadDeadline, but its Read returns at once. A Conn counts
// it without the kernel.
type ready struct{ net.Conn }

func (ready) Read([]byte) (int, error) { return 1, nil }

func BenchmarkReadBookkeeping(b *testing.B) {
	for _, r := range readings[:3] {
		b.Run(r.name, func(b *testing.B) {
			here, _ := tcp(b)
			read := r.of(b, ready{here})
			word := make([]byte, 1)
			for b.Loop() {
				_, _ = read(word)
			}
		})
	}
}

// Another connection waits, as in any server: only while a goroutine waits, or a timer is set, does
// the runtime keep a thread that waits for the network, and to wake that thread costs each write
// about 1.5 µs.
func BenchmarkReadOverLoopback(b *testing.B) {
	waiting, _ := tcp(b)
	go func() { _, _ = waiting.Read(make([]byte, 1)) }()
	counted := reading{"Conn that counts itself", func(b *testing.B, c net.Conn) func([]byte) (int, error) {
		return newConn(b, struct{ net.Conn }{c}).Read
	}}
	again := reading{"none again", readings[0].of} // how much of a difference is none
	for _, r := range append(readings[:len(readings):len(readings)], counted, again) {
		b.Run(r.name, func(b *testing.B) {
			if r.name == "Watch" {
				watchable(b)
			}
			here, there := tcp(b)
			read := r.of(b, here)
			word := make([]byte, 1)
			for b.Loop() {
				_, err := there.Write(word)
				require.NoError(b, err)
				_, err = read(word)
				require.NoError(b, err)
			}
		})
	}
}

func BenchmarkWatch(b *testing.B) {
	watchable(b)
	here, _ := tcp(b)
	tm := hashedwheel.MustNew()
	b.ReportAllocs()
	for b.Loop() {
		w, err := idle.Watch(tm, here, minute, func(net.Conn) {})
		require.NoError(b, err)
		w.Stop()
	}
}

// A Conn keeps about as much memory as this allocates.
func BenchmarkNewConn(b *testing.B) {
	here, _ := tcp(b)
	tm := hashedwheel.MustNew()
	for name, c := range map[string]net.Conn{"watched": here, "counting": struct{ net.Conn }{here}} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				conn, err := idle.NewConn(tm, c, minute)
				require.NoError(b, err)
				conn.SetIdleTimeout(0)
			}
		})
	}
}
