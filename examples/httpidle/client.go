package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A client sends requests for a while, over one connection, then falls silent.
type client struct {
	http  http.Client
	url   string
	every time.Duration // between two requests, on average
	until time.Time     // of its last request
	limit time.Duration // of the server for a request
	waits bool          // for the server to close its connection
}

// A group is all clients, and their answers.
type group struct {
	all  []*client
	done chan struct{} // closed when the last client has ended

	dials, answered, tooSlow atomic.Int64

	mu    sync.Mutex
	wrong []error // wrong answers; guarded by mu
}

// startClients starts the clients. Every second client falls silent, so early that its connection
// is closed while the others still send requests.
func startClients(cfg config, url string) *group {
	c := &group{done: make(chan struct{})}
	end := time.Now().Add(cfg.duration)
	spare := cfg.duration - cfg.idle - cfg.tick
	var running sync.WaitGroup
	for i := range cfg.clients {
		one := &client{url: url, every: cfg.idle / 10, until: end, limit: cfg.limit}
		one.http.Transport = &http.Transport{DialContext: c.dial}
		if i%2 == 1 {
			one.waits = true
			one.until = end.Add(-cfg.idle - cfg.tick - spare/4 - rand.N(spare/2+1))
		}
		c.all = append(c.all, one)
		running.Go(func() { c.run(one) })
	}
	go func() {
		running.Wait()
		close(c.done)
	}()
	return c
}

func (c *group) dial(ctx context.Context, network, addr string) (net.Conn, error) {
	c.dials.Add(1)
	return new(net.Dialer).DialContext(ctx, network, addr)
}

// run sends requests, every tenth slower than the limit. The last request of a silent client is
// marked, so that the server expects silence.
func (c *group) run(one *client) {
	for n := 1; time.Now().Before(one.until); n++ {
		takes := time.Duration(0)
		if n%10 == 3 {
			takes = 10 * one.limit
		}
		c.count(one.get(takes, false), takes, one.limit)
		time.Sleep(rand.N(2 * one.every))
	}
	if one.waits {
		c.count(one.get(0, true), 0, one.limit)
	}
}

// An answer is the result of a request.
type answer struct {
	status int
	took   time.Duration
	err    error
}

// get sends a request that takes so long, and waits for the answer.
func (one *client) get(takes time.Duration, last bool) answer {
	url := fmt.Sprintf("%s/?takes=%v", one.url, takes)
	if last {
		url += "&last=true"
	}
	start := time.Now()
	resp, err := one.http.Get(url)
	if err != nil {
		return answer{err: err}
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body) // so that the connection can be used again
	return answer{resp.StatusCode, time.Since(start), err}
}

// count checks an answer. A stalled machine may make a fast request slow: then it is rightly cut
// short.
func (c *group) count(a answer, takes, limit time.Duration) {
	switch {
	case a.err != nil:
		c.blame(a.err)
	case a.status == http.StatusServiceUnavailable && a.took < limit:
		c.blame(fmt.Errorf("a request was cut short after %v, its limit is %v", a.took, limit))
	case a.status == http.StatusServiceUnavailable:
		c.tooSlow.Add(1)
	case a.status != http.StatusOK:
		c.blame(fmt.Errorf("a request got status %d", a.status))
	case takes > limit && a.took < takes:
		c.blame(fmt.Errorf("a request for %v was answered after %v", takes, a.took))
	default:
		c.answered.Add(1)
	}
}

func (c *group) blame(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.wrong = append(c.wrong, err)
}

// hangUp waits until the server has closed the silent connections, at most for limit, and closes
// the others.
func (c *group) hangUp(open func() int64, limit time.Duration) {
	var kept int64
	for _, one := range c.all {
		if !one.waits {
			kept++
		}
	}
	example.Until(limit, func() bool { return open() <= kept })
	for _, one := range c.all {
		one.http.CloseIdleConnections()
	}
}
