package idle

import (
	"crypto/tls"
	"fmt"
	"net"
	"path/filepath"
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
	for network, stream := range map[string]bool{"unix": true, "unixpacket": false} {
		l, err := net.Listen(network, filepath.Join(t.TempDir(), "s"))
		if err != nil {
			t.Log("not here:", err)
			continue
		}
		defer l.Close()
		c, err := net.Dial(network, l.Addr().String())
		require.NoError(t, err)
		defer c.Close()
		require.Equal(t, stream, isStream(c), network)
	}
}

// The price of pieces: TCP over loopback to a peer that reads as fast as it can.
//
//	go test -run '^$' -bench Pieces ./idle
func BenchmarkWriteInPieces(b *testing.B) {
	const size = 1 << 20
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(b, err)
	defer l.Close()
	for _, piece := range []int{4 << 10, 8 << 10, 16 << 10, 64 << 10, size} {
		b.Run(fmt.Sprintf("%d KiB", piece>>10), func(b *testing.B) {
			c, err := net.Dial("tcp", l.Addr().String())
			require.NoError(b, err)
			peer, err := l.Accept()
			require.NoError(b, err)
			go func() {
				for buf, err := make([]byte, 256<<10), error(nil); err == nil; {
					_, err = peer.Read(buf)
				}
			}()
			data := make([]byte, size)
			b.SetBytes(size)
			for b.Loop() {
				for rest := data; len(rest) > 0; rest = rest[piece:] {
					_, err := c.Write(rest[:piece])
					require.NoError(b, err)
				}
			}
			_, _ = c.Close(), peer.Close()
		})
	}
}
