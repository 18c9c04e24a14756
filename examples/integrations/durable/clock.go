package main

import (
	"context"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// A serverClock follows the server's clock: the time in the server's last answer, plus the time
// since then on this process's monotonic clock. The wall clocks of producers and workers do not
// matter. It is never ahead of the server's clock, and behind by the travel time of an answer.
type serverClock struct {
	now func() time.Time // this process's clock

	mu     sync.Mutex
	server time.Time // in the server's answer; guarded by mu
	local  time.Time // of now when that answer was received; guarded by mu
}

// measure requests the server's time five times and takes the fastest answer. It returns by how
// much the clock has moved.
func (c *serverClock) measure(request func() (time.Time, error)) (moved time.Duration, err error) {
	var server, local time.Time
	for i := range 5 {
		answer, err := request()
		if err != nil {
			return 0, err
		}
		at := c.now()
		if i == 0 || answer.Sub(at) > server.Sub(local) {
			server, local = answer, at
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.server.IsZero() {
		moved = server.Sub(c.server) - local.Sub(c.local)
	}
	c.server, c.local = server, local
	return moved, nil
}

func (c *serverClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.server.Add(c.now().Sub(c.local))
}

// off returns how far this machine's wall clock is ahead of the server's.
func (c *serverClock) off() time.Duration { return time.Now().Round(0).Sub(c.Now().Round(0)) }

// serverTime requests the server's time.
func serverTime(consumer jetstream.Consumer) (time.Time, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	info, err := consumer.Info(ctx)
	if err != nil {
		return time.Time{}, err
	}
	return info.TimeStamp, nil
}
