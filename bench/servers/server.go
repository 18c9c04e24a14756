// Package servers has servers with an idle timeout on every connection, and clients
// for them in a separate process.
package servers

import (
	"io"
	"net"
	"net/http"
	"sync/atomic"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// A Server is a running server.
type Server struct {
	Addr string
	Open atomic.Int64 // connections
}

// payload is the size of a message.
const payload = 64

// Start starts a server on loopback: an echo over TCP, or net/http.
func Start(g peers.Guard, overHTTP bool) (*Server, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	s := &Server{Addr: l.Addr().String()}
	switch {
	case !overHTTP:
		go s.echo(g.Listen(l))
	case g.HTTP != nil:
		go s.http(l, g.HTTP)
	default:
		go s.http(g.Listen(l), func(*http.Server) {})
	}
	return s, nil
}

func (s *Server) echo(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		s.Open.Add(1)
		go func() {
			defer s.Open.Add(-1)
			defer c.Close()
			for message := make([]byte, payload); ; {
				if _, err := io.ReadFull(c, message); err != nil {
					return
				}
				if _, err := c.Write(message); err != nil {
					return
				}
			}
		}()
	}
}

func (s *Server) http(l net.Listener, guard func(*http.Server)) {
	body := make([]byte, payload)
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(body) }),
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				s.Open.Add(1)
			case http.StateClosed:
				s.Open.Add(-1)
			}
		},
	}
	guard(server)
	_ = server.Serve(l)
}
