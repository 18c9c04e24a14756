package main

import (
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// An endpoint serves metrics over HTTP on loopback.
type endpoint struct {
	url    string
	server *example.Server
	client http.Client
}

func listen(registry *prometheus.Registry) (*endpoint, error) {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	s, err := example.Serve("127.0.0.1:0", mux)
	if err != nil {
		return nil, err
	}
	client := http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	return &endpoint{url: s.URL + "/metrics", server: s, client: client}, nil
}

// scrape returns the metrics as Prometheus would receive them.
func (e *endpoint) scrape() (string, error) {
	response, err := e.client.Get(e.url)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", response.Status, body)
	}
	return string(body), err
}

func (e *endpoint) close() { _ = e.server.Close() }
