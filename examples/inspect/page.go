package main

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

// A page is served on a listener of its own, as one would do on a private port.
type page struct {
	http     http.Server
	listener net.Listener
	serving  sync.WaitGroup
}

func servePage(addr string, s *server) (*page, error) {
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/debug/timers", inspect.Handler(map[string]*hashedwheel.Timer{
		"connections": s.connections,
		"calls":       s.calls,
		"jobs":        s.jobs,
	}))
	p := &page{listener: l}
	p.http.Handler = mux
	p.http.ReadHeaderTimeout = 5 * time.Second
	p.serving.Go(func() { _ = p.http.Serve(l) })
	return p, nil
}

func (p *page) url() string { return "http://" + p.listener.Addr().String() + "/debug/timers" }

func (p *page) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	err := p.http.Shutdown(ctx)
	p.serving.Wait()
	return err
}
