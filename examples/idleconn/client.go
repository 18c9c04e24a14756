package main

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// What clients say. The server knows from a client's last word whether it meant
// to go on talking, and so can judge each connection by what it saw itself.
const (
	more = '+' // there is more to come
	last = '.' // nothing more; the client stays connected and waits to be closed
)

// A client talks for a while, then hangs up or falls silent.
type client struct {
	addr   string
	every  time.Duration // between two words, on average
	until  time.Time     // when it stops talking
	silent bool          // then falls silent, else hangs up
	giveUp time.Time     // when it hangs up although nobody closed it
}

// A crowd is all the clients.
type crowd struct {
	done   chan struct{} // closed when the last client has ended
	failed chan error    // room for one: the first client that could not connect
}

// startClients starts the clients. Every second one falls silent, early enough
// to be closed before the others have stopped talking.
func startClients(cfg config, servers []*server) *crowd {
	c := &crowd{done: make(chan struct{}), failed: make(chan error, 1)}
	end := time.Now().Add(cfg.duration)
	spare := cfg.duration - cfg.idle - cfg.tick
	var running sync.WaitGroup
	for i := range cfg.clients {
		addr := servers[i/2%len(servers)].addr() // two by two: one who talks, one who falls silent
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

func (c *crowd) report(err error) {
	if err == nil {
		return
	}
	select {
	case c.failed <- err:
	default:
	}
}

// err returns why a client could not connect, if any could not.
func (c *crowd) err() error {
	select {
	case err := <-c.failed:
		return err
	default:
		return nil
	}
}

// run returns an error only if it cannot connect: how a connection ended is for
// the server to say.
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

// say sends a word and waits for its echo. It reports false if the connection
// has ended.
func say(nc net.Conn, word byte) bool {
	b := []byte{word}
	if _, err := nc.Write(b); err != nil {
		return false
	}
	_, err := io.ReadFull(nc, b)
	return err == nil
}
