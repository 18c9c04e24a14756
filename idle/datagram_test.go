//go:build linux

package idle_test

import (
	"io"
	"net"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/require"
)

// datagrams returns a Conn around a UDP socket on a manual clock, and a function that sends to it.
func datagrams(t *testing.T) (*idle.Conn, *hashedwheel.ManualClock, func(datagram string)) {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := newTimer(t, hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	peer, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	here, err := net.DialUDP("udp", nil, peer.LocalAddr().(*net.UDPAddr))
	require.NoError(t, err)
	conn, err := idle.NewConn(tm, here, time.Minute)
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close(); _ = peer.Close() })
	return conn, clock, func(datagram string) {
		_, err := peer.WriteTo([]byte(datagram), here.LocalAddr())
		require.NoError(t, err)
	}
}

func TestEmptyDatagramDoesNotCount(t *testing.T) {
	for datagram, want := range map[string]error{"": idle.ErrIdle, "data": nil} {
		conn, clock, send := datagrams(t)
		clock.Advance(50 * time.Second)
		send(datagram)
		_, err := conn.Read(make([]byte, 100))
		require.NoError(t, err)
		clock.Advance(50 * time.Second)
		_, err = conn.Write([]byte("answer"))
		require.Equal(t, want, err, "%q", datagram)
	}
}

func TestUnreadDatagramKeepsAConnOpenUnlessItIsEmpty(t *testing.T) {
	for datagram, want := range map[string]error{"": idle.ErrIdle, "data": nil} {
		conn, clock, send := datagrams(t)
		send(datagram)
		clock.Advance(90 * time.Second)
		_, err := io.ReadFull(conn, make([]byte, len("data")))
		require.Equal(t, want, err, "%q", datagram)
	}
}
