package example

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

// A Server serves HTTP until Close.
type Server struct {
	URL     string // http://address
	http    http.Server
	serving sync.WaitGroup
}

// Serve starts a Server on addr. Port 0 is a free port.
func Serve(addr string, handler http.Handler) (*Server, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	s := &Server{URL: "http://" + l.Addr().String()}
	s.http.Handler = handler
	s.http.ReadHeaderTimeout = 5 * time.Second
	s.serving.Go(func() { _ = s.http.Serve(l) })
	return s, nil
}

// Close waits for the requests in progress, at most four seconds.
func (s *Server) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	err := s.http.Shutdown(ctx)
	s.serving.Wait()
	return err
}
