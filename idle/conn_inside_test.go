package idle

import (
	"crypto/tls"
	"net"
	"runtime"
	"testing"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

// A framed connection sends each Write as a message, whatever connection is inside.
type framed struct{ *net.TCPConn }

func TestStreamsAreKnownByTheirType(t *testing.T) {
	pipe, _ := net.Pipe()
	udp, err := net.Dial("udp", "127.0.0.1:9")
	require.NoError(t, err)
	defer udp.Close()
	conn, err := NewConn(hashedwheel.MustNew(), pipe, 0)
	require.NoError(t, err)
	message, err := NewConn(hashedwheel.MustNew(), udp, 0)
	require.NoError(t, err)
	tests := map[string]struct {
		conn   net.Conn
		stream bool
	}{
		"net.Pipe":                    {pipe, true},
		"TCP":                         {new(net.TCPConn), true},
		"TLS":                         {tls.Client(pipe, new(tls.Config)), true},
		"a Conn around a stream":      {conn, true},
		"a Conn around messages":      {message, false},
		"UDP":                         {udp, false},
		"a type that embeds TCP":      {&framed{new(net.TCPConn)}, false},
		"a value that embeds TCP":     {framed{new(net.TCPConn)}, false},
		"a type that embeds net.Conn": {struct{ net.Conn }{pipe}, false},
	}
	for name, tt := range tests {
		require.Equal(t, tt.stream, isStream(tt.conn), name)
	}
}

func TestUnixConnIsAStreamByItsNetwork(t *testing.T) {
	require.False(t, isStream(new(net.UnixConn)), "it has no address, as when getsockname failed")
	if runtime.GOOS == "js" {
		t.Skip("its sockets have no names")
	}
	for network, stream := range map[string]bool{"unix": true, "unixpacket": false} {
		l, err := net.Listen(network, "")
		if err != nil {
			t.Skip("not here:", err)
		}
		defer l.Close()
		c, err := net.Dial(network, l.Addr().String())
		require.NoError(t, err)
		defer c.Close()
		require.Equal(t, stream, isStream(c), network)
	}
}
