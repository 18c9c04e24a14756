package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// An endpoint serves metrics over HTTP on loopback.
type endpoint struct {
	url    string
	server http.Server
	client http.Client
	ended  chan struct{}
}

func listen(registry *prometheus.Registry) (*endpoint, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	e := &endpoint{url: "http://" + l.Addr().String() + "/metrics", ended: make(chan struct{})}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	e.server = http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	e.client = http.Client{Timeout: 5 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	go func() {
		defer close(e.ended)
		_ = e.server.Serve(l) // until close
	}()
	return e, nil
}

// scrape returns the metrics as Prometheus would get them.
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

func (e *endpoint) close() {
	_ = e.server.Close()
	<-e.ended
}
