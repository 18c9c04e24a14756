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

// callers are the connections, and what goes over them.
type callers struct {
	overHTTP bool
	conns    []*caller
}

// atOnce is how many requests are under way at most.
const atOnce = 64

type caller struct {
	net.Conn
	in *bufio.Reader
}

func (c *callers) obey(o order) (Answer, error) {
	switch {
	case o.Addr != "":
		return Answer{}, c.connect(o)
	case o.For == 0:
		start := time.Now()
		for _, conn := range c.conns {
			if err := c.call(conn); err != nil {
				return Answer{}, err
			}
		}
		return Answer{Requests: len(c.conns), Took: time.Since(start)}, nil
	}
	return c.run(o)
}

func (c *callers) connect(o order) error {
	c.overHTTP = o.HTTP
	for range o.Conns {
		conn, err := net.Dial("tcp", o.Addr)
		if err != nil {
			return err
		}
		c.conns = append(c.conns, &caller{conn, bufio.NewReaderSize(conn, 512)})
	}
	return nil
}

var get = []byte("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")

// call sends a request and waits for the answer.
func (c *callers) call(conn *caller) error {
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

// run has some goroutines share the connections, each with a grid of its own at
// which its requests are meant to begin.
func (c *callers) run(o order) (a Answer, err error) {
	n := min(atOnce, len(c.conns))
	var mu sync.Mutex
	var took []time.Duration
	var done sync.WaitGroup
	start := time.Now()
	for i := range n {
		done.Go(func() {
			mine, fault := c.work(o, i, n, start)
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
		return a, err
	}
	slices.Sort(took)
	at := func(p float64) time.Duration { return took[int(p*float64(len(took)-1))] }
	return Answer{Requests: len(took), Took: time.Since(start), P50: at(0.5), P999: at(0.999)}, err
}

// work is the part of one of n goroutines: how long its requests took.
func (c *callers) work(o order, i, n int, start time.Time) (took []time.Duration, err error) {
	at, own := time.Since(start), (len(c.conns)-i+n-1)/n // it has every n-th
	for k := 0; at < o.For; k++ {
		if o.Rate > 0 {
			at = time.Duration(float64(k*n+i) / float64(o.Rate) * 1e9)
			time.Sleep(at - time.Since(start))
		}
		if err := c.call(c.conns[i+k%own*n]); err != nil {
			return took, err
		}
		end := time.Since(start)
		took = append(took, end-at)
		if o.Rate == 0 {
			at = end
		}
	}
	return took, nil
}
