package main

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// freeAddr returns an address on loopback that nobody listens on: gnet cannot be asked
// which port it chose.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// talk runs the clients. Every second one falls silent half way and waits to be closed.
func talk(cfg config, addr string) error {
	failed := make([]error, cfg.clients)
	start := time.Now()
	var running sync.WaitGroup
	for i := range cfg.clients {
		silent := i%2 == 1
		until := start.Add(cfg.duration)
		if silent {
			until = start.Add(cfg.duration / 2)
		}
		running.Go(func() { failed[i] = client(addr, cfg.idle/10, until, silent) })
	}
	running.Wait()
	return errors.Join(failed...)
}

// client returns an error only if it cannot connect, or nobody closes it: how its
// connection ended is for the server to say.
func client(addr string, every time.Duration, until time.Time, silent bool) error {
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return err
	}
	defer c.Close()
	word := []byte("!")
	for time.Now().Before(until) {
		if _, err := c.Write(word); err != nil {
			return nil
		}
		if _, err := io.ReadFull(c, word); err != nil {
			return nil
		}
		time.Sleep(rand.N(2 * every))
	}
	if silent {
		_ = c.SetReadDeadline(time.Now().Add(4 * time.Second))
		if _, err := c.Read(word); !errors.Is(err, io.EOF) {
			return errors.New("a silent client was not closed")
		}
	}
	return nil
}
