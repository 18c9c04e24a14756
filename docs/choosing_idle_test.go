package docs

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
)

func serveAll(tm *hashedwheel.Timer, l net.Listener, serve func(net.Conn)) error {
	l = idle.NewListener(tm, l, 2*time.Minute)
	for {
		c, err := l.Accept()
		if err != nil {
			return err
		}
		go serve(c) // after two silent minutes its Read returns idle.ErrIdle
	}
}

// A pipes listener accepts the connections that are sent to it.
type pipes chan net.Conn

func (p pipes) Close() error   { return nil }
func (p pipes) Addr() net.Addr { return nil }
func (p pipes) Accept() (net.Conn, error) {
	if c, ok := <-p; ok {
		return c, nil
	}
	return nil, net.ErrClosed
}

func TestASilentConnectionOfAServerIsClosed(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		client, server := net.Pipe()
		defer client.Close()
		deadline := time.Now().Add(2 * time.Minute)
		l := make(pipes, 1)
		l <- server
		close(l)
		err := serveAll(tm, l, func(c net.Conn) {
			_, err := c.Read(make([]byte, 1))
			assert.Equal(t, idle.ErrIdle, err)
			assert.WithinRange(t, time.Now(), deadline, deadline.Add(tick))
		})
		require.ErrorIs(t, err, net.ErrClosed)
		pass(2 * time.Minute)
		_, err = client.Read(make([]byte, 1))
		assert.Equal(t, io.EOF, err)
	})
}

// A peer is idle if it has sent no request for a minute. Its pings do not count.
type peer struct {
	net.Conn
	idle hashedwheel.Timeout
}

func newPeer(tm *hashedwheel.Timer, c net.Conn) (*peer, error) {
	p := &peer{Conn: c}
	p.idle.InitFunc(tm, func() { c.Close() })
	p.idle.Reset(time.Minute)
	return p, p.idle.Err() // full or stopped: nothing would close it
}

func (p *peer) onRequest() { p.idle.Move(time.Minute) }

func (p *peer) Close() error {
	p.idle.Stop()
	return p.Conn.Close()
}

func TestAPeerWithRequestsStaysAndOneWithPingsAloneIsClosed(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		client, server := net.Pipe()
		defer client.Close()
		p, err := newPeer(tm, server)
		require.NoError(t, err)
		for range 3 {
			time.Sleep(time.Minute - time.Second)
			p.onRequest()
		}
		deadline := time.Now().Add(time.Minute)
		go func() { _, _ = io.WriteString(client, "ping") }()
		_, err = io.Copy(io.Discard, p)
		assert.ErrorIs(t, err, io.ErrClosedPipe)
		assert.WithinRange(t, time.Now(), deadline, deadline.Add(tick))
	})
}

func TestAPeerThatWasClosedOrRefusedLeavesNoTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		client, server := net.Pipe()
		defer client.Close()
		p, err := newPeer(tm, server)
		require.NoError(t, err)
		_, err = newPeer(tm, server)
		require.ErrorIs(t, err, hashedwheel.ErrFull)
		require.Equal(t, 1, tm.Pending())
		require.NoError(t, p.Close())
		p.onRequest() // read before, noted too late
		assert.Zero(t, tm.Pending())
	}, hashedwheel.WithMaxPending(1))
}

func serveHTTP(tm *hashedwheel.Timer, l net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second, ConnContext: idle.ConnContext}
	return server.Serve(idle.NewListener(tm, l, time.Minute))
}

func slowReport(w http.ResponseWriter, r *http.Request) {
	if conn, ok := idle.FromContext(r.Context()); ok {
		conn.SetIdleTimeout(0) // nothing is sent while the report is made
		defer conn.SetIdleTimeout(time.Minute)
	}
	fmt.Fprintln(w, makeReport())
}

func makeReport() string {
	time.Sleep(time.Hour)
	return "a report"
}

func TestAHandlerThatSuspendsTheIdleTimeAnswers(t *testing.T) {
	for path, answer := range map[string]string{"/slow": "HTTP/1.1 200 OK", "/silent": ""} {
		inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
			client, server := net.Pipe()
			l := make(pipes, 1)
			l <- server
			handler := http.NewServeMux()
			handler.HandleFunc("/slow", slowReport)
			handler.HandleFunc("/silent", func(w http.ResponseWriter, _ *http.Request) {
				fmt.Fprintln(w, makeReport())
			})
			ended := make(chan error)
			go func() { ended <- serveHTTP(tm, l, handler) }()
			go func() {
				_, err := io.WriteString(client, "GET "+path+" HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
				assert.NoError(t, err)
			}()
			text, err := io.ReadAll(client)
			assert.NoError(t, err)
			assert.Equal(t, answer != "", strings.HasPrefix(string(text), "HTTP/1.1 200 OK"), "%s: %s", path, text)
			close(l)
			assert.ErrorIs(t, <-ended, net.ErrClosed)
			time.Sleep(time.Hour) // for the silent handler
		})
	}
}
