package idle_test

import (
	"context"
	"errors"
	"net"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/require"
)

// The NetConn of a circular connection returns the connection itself, or another that returns it.
type circular struct {
	net.Conn
	inner net.Conn
}

func (c *circular) NetConn() net.Conn { return c.inner }

func TestConnWhoseNetConnLeadsNowhereIsCounted(t *testing.T) {
	pipe, _ := net.Pipe()
	itself := &circular{Conn: pipe}
	itself.inner = itself
	other := &circular{Conn: pipe}
	each := &circular{Conn: pipe, inner: other}
	other.inner = each
	nothing := &circular{Conn: pipe}
	nilTCP := &circular{Conn: pipe, inner: (*net.TCPConn)(nil)}
	nilConn := &circular{Conn: pipe, inner: (*idle.Conn)(nil)}
	for name, c := range map[string]net.Conn{
		"itself": itself, "two": each, "nil": nothing, "nil pointer": nilTCP, "nil Conn": nilConn,
	} {
		t.Run(name, func(t *testing.T) {
			done := make(chan error, 1)
			go func() {
				conn, err := idle.NewConn(newTimer(t), c, time.Hour)
				if _, ok := idle.FromContext(idle.ConnContext(context.Background(), c)); ok {
					err = errors.New("a Conn was found")
				}
				if err == nil {
					conn.SetIdleTimeout(0)
					_, err = idle.Watch(newTimer(t), c, d, func(net.Conn) {})
				}
				done <- err
			}()
			require.ErrorIs(t, within(t, done), errors.ErrUnsupported)
		})
	}
}
