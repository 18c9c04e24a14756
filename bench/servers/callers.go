package servers

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"
)

// Callers are the connections of the clients' process, which calls their methods by
// package rpc.
type Callers struct {
	overHTTP bool
	conns    []*caller
}

// Target is the server to connect to.
type Target struct {
	Addr  string
	HTTP  bool
	Conns int
}

// Work is what to send.
type Work struct {
	Rate int // requests a second; 0: as fast as they are answered
	For  time.Duration
}

// Answer is the result of the clients' work.
type Answer struct {
	Requests  int
	Took      time.Duration
	P50, P999 time.Duration // from the intended start, if there was a rate
}

// atOnce is how many requests are under way at most.
const atOnce = 64

type caller struct {
	net.Conn
	in *bufio.Reader
}

// Connect opens the connections.
func (c *Callers) Connect(t Target, _ *Answer) error {
	c.overHTTP = t.HTTP
	for range t.Conns {
		conn, err := net.Dial("tcp", t.Addr)
		if err != nil {
			return err
		}
		c.conns = append(c.conns, &caller{conn, bufio.NewReaderSize(conn, 512)})
	}
	return nil
}

// Once sends a request on every connection.
func (c *Callers) Once(_ Work, a *Answer) error {
	start := time.Now()
	for _, conn := range c.conns {
		if err := c.call(conn); err != nil {
			return err
		}
	}
	*a = Answer{Requests: len(c.conns), Took: time.Since(start)}
	return nil
}

var get = []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")

// call sends a request and waits for the answer.
func (c *Callers) call(conn *caller) error {
	if !c.overHTTP {
		var message [payload]byte
		if _, err := conn.Write(message[:]); err != nil {
			return err
		}
		_, err := io.ReadFull(conn.in, message[:])
		return err
	}
	if _, err := conn.Write(get); err != nil {
		return err
	}
	r, err := http.ReadResponse(conn.in, nil)
	if err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, r.Body)
	return err
}

// Run sends requests from some goroutines that share the connections. Each goroutine
// has its own grid of intended starts.
func (c *Callers) Run(w Work, a *Answer) (err error) {
	n := min(atOnce, len(c.conns))
	var mu sync.Mutex
	var took []time.Duration
	var done sync.WaitGroup
	start := time.Now()
	for i := range n {
		done.Go(func() {
			mine, fault := c.work(w, i, n, start)
			mu.Lock()
			defer mu.Unlock()
			took = append(took, mine...)
			if fault != nil {
				err = fault
			}
		})
	}
	done.Wait()
	if len(took) == 0 {
		return err
	}
	slices.Sort(took)
	at := func(p float64) time.Duration { return took[int(p*float64(len(took)-1))] }
	*a = Answer{Requests: len(took), Took: time.Since(start), P50: at(0.5), P999: at(0.999)}
	return err
}

// work is the part of one of n goroutines. It returns how long the requests took.
func (c *Callers) work(w Work, i, n int, start time.Time) (took []time.Duration, err error) {
	at, own := time.Since(start), (len(c.conns)-i+n-1)/n // every n-th connection
	for k := 0; at < w.For; k++ {
		if w.Rate > 0 {
			at = time.Duration(float64(k*n+i) / float64(w.Rate) * 1e9)
			time.Sleep(at - time.Since(start))
		}
		if err := c.call(c.conns[i+k%own*n]); err != nil {
			return took, err
		}
		end := time.Since(start)
		took = append(took, end-at)
		if w.Rate == 0 {
			at = end
		}
	}
	return took, nil
}
