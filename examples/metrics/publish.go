package main

import (
	"context"
	"encoding/json"
	"expvar"
	"net"
	"net/http"
	"sync"
	"sync/atomic"

	"github.com/hashedwheel/hashedwheel"
)

// publish makes a timer's statistics a variable, for as long as the program runs:
// expvar has no way back. Publishing another timer under the name replaces it.
//
// Stats costs as much as Pending, a drain of what was handed over since the last
// tick: fine for a page that is read every few seconds.
func publish(name string, tm *hashedwheel.Timer) {
	v, ok := expvar.Get(name).(*timerVar)
	if !ok {
		v = new(timerVar)
		v.timer.Store(tm) // before it can be read
		expvar.Publish(name, v)
	}
	v.timer.Store(tm)
}

// timerVar is an expvar.Var.
type timerVar struct {
	timer atomic.Pointer[hashedwheel.Timer]
}

// String returns the statistics as JSON, durations in nanoseconds.
func (v *timerVar) String() string {
	b, err := json.Marshal(v.timer.Load().Stats())
	if err != nil {
		return "null" // never: Stats is numbers
	}
	return string(b)
}

// A page serves all that is published.
type page struct {
	http     http.Server
	listener net.Listener
	serving  sync.WaitGroup
}

func servePage() (*page, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &page{listener: l}
	mux := http.NewServeMux()
	mux.Handle("GET /debug/vars", expvar.Handler())
	p.http.Handler = mux
	p.serving.Go(func() { _ = p.http.Serve(l) })
	return p, nil
}

func (p *page) url() string { return "http://" + p.listener.Addr().String() }

func (p *page) close(ctx context.Context) error {
	err := p.http.Shutdown(ctx)
	p.serving.Wait()
	return err
}
