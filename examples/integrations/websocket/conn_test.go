package websocket

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// connected returns the server's end of a WebSocket, and the socket of its client.
func connected(t testing.TB) (*websocket.Conn, net.Conn) {
	accepted, ended := make(chan *websocket.Conn, 1), make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, nil)
		assert.NoError(t, err)
		accepted <- c
		<-ended
	}))
	t.Cleanup(server.Close)
	t.Cleanup(func() { close(ended) })
	var socket net.Conn
	client := &http.Client{Transport: &http.Transport{
		DialContext: func(ctx context.Context, network, addr string) (c net.Conn, err error) {
			socket, err = new(net.Dialer).DialContext(ctx, network, addr)
			return socket, err
		},
	}}
	_, _, err := websocket.Dial(t.Context(), server.URL, &websocket.DialOptions{HTTPClient: client})
	require.NoError(t, err)
	c := <-accepted
	t.Cleanup(func() { _ = socket.Close(); _ = c.CloseNow() })
	return c, socket
}

func TestWriteToAClientThatDoesNotReadIsCutShort(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	defer tm.StopAll()
	server, _ := connected(t)
	c := NewConn(tm, server, 100*time.Millisecond)
	require.NoError(t, c.Write(websocket.MessageText, []byte("the socket buffers this")))
	begun := time.Now()
	err := c.Write(websocket.MessageBinary, make([]byte, 64<<20)) // more than the socket buffers
	require.ErrorIs(t, err, os.ErrDeadlineExceeded)
	require.GreaterOrEqual(t, time.Since(begun), 100*time.Millisecond)
	require.Zero(t, tm.Pending())
}

func TestWriteWithoutALimitIsRefused(t *testing.T) {
	tm := hashedwheel.MustNew()
	tm.StopAll()
	server, _ := connected(t)
	err := NewConn(tm, server, time.Second).Write(websocket.MessageText, []byte("hello"))
	require.ErrorIs(t, err, hashedwheel.ErrStopped)
}

// BenchmarkWrite writes messages with a limit of a second each. The client only reads.
func BenchmarkWrite(b *testing.B) {
	message := []byte(`{"type":"event"}`)
	run := func(name string, write func(c *Conn) error) {
		b.Run("limit="+name, func(b *testing.B) {
			tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
			defer tm.StopAll()
			server, client := connected(b)
			go io.Copy(io.Discard, client)
			c := NewConn(tm, server, time.Second)
			b.ReportAllocs()
			for b.Loop() {
				require.NoError(b, write(c))
			}
		})
	}
	run("none", func(c *Conn) error {
		return c.Conn.Write(context.Background(), websocket.MessageText, message)
	})
	run("Timeout", func(c *Conn) error {
		return c.Write(websocket.MessageText, message)
	})
	run("context", func(c *Conn) error {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		return c.Conn.Write(ctx, websocket.MessageText, message)
	})
}
