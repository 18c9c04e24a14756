// Package h2c shows idle timeouts for a server of golang.org/x/net/http2/h2c.
package h2c

//lint:file-ignore SA1019 many servers still use the deprecated package

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/require"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/h2c"
)

// Package h2c hijacks connections from the http.Server, so IdleTimeout does not apply to them: a connection stays open
// forever, unless idle.NewListener closes it.
func TestOnlyTheListenerClosesAnIdleConnection(t *testing.T) {
	const d = 100 * time.Millisecond
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
	defer tm.StopAll()
	for name, tt := range map[string]struct {
		wrap  func(net.Listener) net.Listener
		conns int32 // for two requests
	}{
		"IdleTimeout":      {func(l net.Listener) net.Listener { return l }, 1},
		"idle.NewListener": {func(l net.Listener) net.Listener { return idle.NewListener(tm, l, d) }, 2},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		hello := func(w http.ResponseWriter, r *http.Request) { _, _ = io.WriteString(w, r.Proto) }
		var conns atomic.Int32
		server := &http.Server{
			Handler:     h2c.NewHandler(http.HandlerFunc(hello), new(http2.Server)),
			IdleTimeout: d,
			ConnState: func(_ net.Conn, s http.ConnState) {
				if s == http.StateNew {
					conns.Add(1)
				}
			},
		}
		go func() { _ = server.Serve(tt.wrap(l)) }()
		transport := &http.Transport{Protocols: new(http.Protocols)}
		transport.Protocols.SetUnencryptedHTTP2(true)
		client := &http.Client{Transport: transport}
		for range 2 {
			resp, err := client.Get("http://" + l.Addr().String())
			require.NoError(t, err)
			proto, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.NoError(t, resp.Body.Close())
			require.Equal(t, "HTTP/2.0", string(proto))
			time.Sleep(4 * d)
		}
		require.Equal(t, tt.conns, conns.Load(), name)
		transport.CloseIdleConnections()
		require.NoError(t, server.Close())
	}
}
