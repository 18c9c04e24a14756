package main

import (
	"sync"
	"time"

	"github.com/centrifugal/centrifuge"
)

// A transport has no other end: it counts and times the pings.
type transport struct {
	interval time.Duration

	mu       sync.Mutex
	pings    int           // this and all fields below are guarded by mu
	last     time.Time     // of the last ping
	shortest time.Duration // between two pings
	longest  time.Duration
	closed   bool
}

func (t *transport) Write(data []byte) error { return t.WriteMany(data) }

// WriteMany counts pings. A ping is an empty push: {}.
func (t *transport) WriteMany(messages ...[]byte) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range messages {
		if string(m) == "{}" {
			t.noteLocked(time.Now())
		}
	}
	return nil
}

func (t *transport) noteLocked(now time.Time) {
	if t.pings++; t.pings > 1 {
		since := now.Sub(t.last)
		t.longest = max(t.longest, since)
		if t.shortest == 0 || since < t.shortest {
			t.shortest = since
		}
	}
	t.last = now
}

func (t *transport) Close(centrifuge.Disconnect) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.closed = true
	return nil
}

func (*transport) Name() string                                { return "fake" }
func (*transport) AcceptProtocol() string                      { return "" }
func (*transport) Protocol() centrifuge.ProtocolType           { return centrifuge.ProtocolTypeJSON }
func (*transport) ProtocolVersion() centrifuge.ProtocolVersion { return centrifuge.ProtocolVersion2 }
func (*transport) Unidirectional() bool                        { return true }
func (*transport) Emulation() bool                             { return false }
func (*transport) DisabledPushFlags() uint64                   { return 0 }
func (t *transport) PingPongConfig() centrifuge.PingPongConfig {
	return centrifuge.PingPongConfig{PingInterval: t.interval}
}
