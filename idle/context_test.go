package idle_test

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/require"
)

// A handler works for two idle times, and suspends the idle time of its connection.
func TestHandlerSuspendsTheIdleTime(t *testing.T) {
	t.Parallel()
	const d = short
	servers := map[string]func(*httptest.Server){
		"plain":           func(s *httptest.Server) { s.Start() },
		"TLS":             func(s *httptest.Server) { s.StartTLS() },
		"HTTP/2 over TLS": func(s *httptest.Server) { s.EnableHTTP2 = true; s.StartTLS() },
	}
	for name, start := range servers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var calls atomic.Int32
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				calls.Add(1)
				conn, ok := idle.FromContext(r.Context())
				if !ok {
					http.Error(w, "no Conn in the context", http.StatusInternalServerError)
					return
				}
				conn.SetIdleTimeout(d)
				conn.SetIdleTimeout(0)
				defer conn.SetIdleTimeout(time.Minute)
				time.Sleep(2 * d)
				_, _ = io.WriteString(w, r.Proto)
			}))
			server.Listener = idle.NewListener(newTimer(t), server.Listener, time.Minute) // for the handshake
			server.Config.ConnContext = idle.ConnContext
			start(server)
			defer server.Close()
			resp, err := server.Client().Get(server.URL)
			require.NoError(t, err)
			defer resp.Body.Close()
			body, err := io.ReadAll(resp.Body)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, resp.StatusCode, string(body))
			require.EqualValues(t, 1, calls.Load())
		})
	}
}

func TestFromContextFindsTheConn(t *testing.T) {
	pipe, _ := net.Pipe()
	conn, err := idle.NewConn(newTimer(t), pipe, 0)
	require.NoError(t, err)
	for name, c := range map[string]net.Conn{
		"as it is":   conn,
		"inside TLS": tls.Server(conn, new(tls.Config)),
		"two deep":   tls.Server(tls.Server(conn, new(tls.Config)), new(tls.Config)),
	} {
		got, ok := idle.FromContext(idle.ConnContext(context.Background(), c))
		require.True(t, ok, name)
		require.Same(t, conn, got, name)
	}
}

func TestFromContextWithoutConn(t *testing.T) {
	pipe, _ := net.Pipe()
	for _, c := range []net.Conn{pipe, nil} {
		conn, ok := idle.FromContext(idle.ConnContext(context.Background(), c))
		require.False(t, ok)
		require.Nil(t, conn)
	}
}

// Requests of one HTTP/2 connection share its Conn. The server's ConnState hook is called for the
// connection, when its first request begins and when its last request has ended.
func TestConnStateSuspendsTheIdleTimeOfAllRequests(t *testing.T) {
	t.Parallel()
	const d = short
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			time.Sleep(2 * d)
		}
		_, _ = io.WriteString(w, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.Listener = idle.NewListener(newTimer(t), server.Listener, time.Minute) // for the handshake
	state := server.Config.ConnState
	server.Config.ConnState = func(c net.Conn, s http.ConnState) {
		if state != nil {
			state(c, s)
		}
		conn, ok := idle.FromContext(idle.ConnContext(context.Background(), c))
		switch {
		case ok && s == http.StateActive:
			conn.SetIdleTimeout(0)
		case ok && s == http.StateIdle:
			conn.SetIdleTimeout(d)
		}
	}
	server.StartTLS()
	defer server.Close()
	get := func(path string) error {
		resp, err := server.Client().Get(server.URL + path)
		if err != nil {
			return err
		}
		defer resp.Body.Close()
		_, err = io.ReadAll(resp.Body)
		return err
	}
	require.NoError(t, get("/")) // one connection for all
	slow := make(chan error, 1)
	go func() { slow <- get("/slow") }()
	require.NoError(t, get("/"))
	require.NoError(t, within(t, slow))
}
