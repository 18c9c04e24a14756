package main

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// The words of a client. From the last word the server sees whether the client meant to go on.
const (
	more = '+' // more words follow
	last = '.' // no more words; the client waits until the server closes the connection
)

// A client talks for a while, then hangs up or falls silent.
type client struct {
	addr   string
	every  time.Duration // between two words, on average
	until  time.Time     // when it stops talking
	silent bool          // then falls silent; otherwise it hangs up
	giveUp time.Time     // when it hangs up although the server did not close the connection
}

// A group is all clients.
type group struct {
	done   chan struct{} // closed when the last client has ended
	failed chan error    // has room for the first error of a client that could not connect
}

// startClients starts the clients. Every second client falls silent, so early that it is
// closed while the others still talk.
func startClients(cfg config, servers []*server) *group {
	c := &group{done: make(chan struct{}), failed: make(chan error, 1)}
	end := time.Now().Add(cfg.duration)
	spare := cfg.duration - cfg.idle - cfg.tick
	var running sync.WaitGroup
	for i := range cfg.clients {
		addr := servers[i/2%len(servers)].addr() // in pairs of a talking and a silent client
		one := client{addr: addr, every: cfg.idle / 10, until: end, giveUp: end.Add(grace)}
		if i%2 == 1 {
			one.silent = true
			one.until = end.Add(-cfg.idle - cfg.tick - spare/4 - rand.N(spare/2+1))
		}
		running.Go(func() { c.report(one.run()) })
	}
	go func() {
		running.Wait()
		close(c.done)
	}()
	return c
}

func (c *group) report(err error) {
	if err == nil {
		return
	}
	select {
	case c.failed <- err:
	default:
	}
}

// err returns the first error of a client that could not connect, or nil.
func (c *group) err() error {
	select {
	case err := <-c.failed:
		return err
	default:
		return nil
	}
}

// run returns an error only if it cannot connect. The server records how connections end.
func (c client) run() error {
	nc, err := net.Dial("tcp", c.addr)
	if err != nil {
		return err
	}
	defer nc.Close()
	_ = nc.SetDeadline(c.giveUp)
	for time.Now().Before(c.until) {
		if !say(nc, more) {
			return nil
		}
		time.Sleep(rand.N(2 * c.every))
	}
	if c.silent && say(nc, last) {
		_, _ = nc.Read(make([]byte, 1)) // until the server closes
	}
	return nil
}

// say sends a word and waits for its echo. It reports whether the connection is still open.
func say(nc net.Conn, word byte) bool {
	b := []byte{word}
	if _, err := nc.Write(b); err != nil {
		return false
	}
	_, err := io.ReadFull(nc, b)
	return err == nil
}
