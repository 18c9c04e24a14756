package main

import (
	"net/http"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
	"github.com/hashedwheel/hashedwheel/inspect"
)

// servePage serves the page on a separate listener, which in production is a private port.
func servePage(addr string, s *server) (*example.Server, error) {
	mux := http.NewServeMux()
	mux.Handle("/debug/timers", inspect.Handler(map[string]*hashedwheel.Timer{
		"connections": s.connections,
		"calls":       s.calls,
		"jobs":        s.jobs,
	}))
	return example.Serve(addr, mux)
}
