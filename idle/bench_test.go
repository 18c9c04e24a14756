package idle_test

import (
	"net"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/require"
)

const minute = time.Minute

// A ready connection has a socket, for SetReadDeadline, but its Read returns at once. The kernel counts it.
type ready struct{ *net.TCPConn }

func (ready) Read([]byte) (int, error) { return 1, nil }

// The cost that an idle timeout adds to a read, compared with a deadline that would do the same, and with a Timeout
// that each read moves. A deadline at each write costs the same again.
//
//	go test -run '^$' -bench Read ./idle
func BenchmarkReadBookkeeping(b *testing.B) {
	here, _ := tcp(b)
	c, word := ready{here}, make([]byte, 1)
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	conn, err := idle.NewConn(tm, c, minute)
	require.NoError(b, err)
	defer conn.Close()
	counting, err := idle.NewConn(tm, c, minute, idle.WithCounting())
	require.NoError(b, err)
	silent := tm.AfterFunc(minute, func() {})
	for name, read := range map[string]func(){
		"none":             func() { _, _ = c.Read(word) },
		"SetReadDeadline":  func() { _ = c.SetReadDeadline(time.Now().Add(minute)); _, _ = c.Read(word) },
		"Move":             func() { silent.Move(minute); _, _ = c.Read(word) },
		"Conn":             func() { _, _ = conn.Read(word) },
		"Conn that counts": func() { _, _ = counting.Read(word) },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				read()
			}
		})
	}
}

// A Conn or a Watcher keeps about as much memory as this allocates.
//
//	go test -run '^$' -bench New ./idle
func BenchmarkNew(b *testing.B) {
	watchable(b)
	here, _ := tcp(b)
	tm := hashedwheel.MustNew()
	newConn := func(c net.Conn) error {
		conn, err := idle.NewConn(tm, c, minute)
		conn.SetIdleTimeout(0)
		return err
	}
	for name, create := range map[string]func() error{
		"Conn":          func() error { return newConn(here) },
		"counting Conn": func() error { return newConn(struct{ net.Conn }{here}) },
		"Watcher": func() error {
			w, err := idle.Watch(tm, here, minute, func(net.Conn) {})
			w.Stop()
			return err
		},
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, create())
			}
		})
	}
}
