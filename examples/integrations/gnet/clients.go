package main

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"time"
)

// freeAddr returns an unused address on loopback, since gnet does not report the port that it chose.
func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// talk runs the clients. Every second client falls silent halfway and waits until it is closed.
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

// client returns an error if it cannot connect, or is not closed although it is silent.
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
