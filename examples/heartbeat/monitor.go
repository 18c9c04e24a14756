package main

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A link is a peer's connection, the timeout that expires without a beat, and the timeout's task.
type link struct {
	net.Conn
	silence hashedwheel.Timeout // a link must not be copied
}

// past is a read deadline that has already passed.
var past = time.Unix(1, 0)

// Run is called by the timer when no beat was received in time. It wakes the reader, which
// closes the connection.
func (l *link) Run(*hashedwheel.Timeout) { _ = l.SetReadDeadline(past) }

// A monitor receives beats, and notices peers that stop sending them.
type monitor struct {
	timer    *hashedwheel.Timer
	timeout  time.Duration
	listener net.Listener
	running  sync.WaitGroup // accept, and a goroutine for each link

	connected, beats, dead, cut atomic.Int64

	mu     sync.Mutex
	down   bool           // refusing all connections; guarded by mu
	links  map[*link]bool // guarded by mu
	deaths []death        // guarded by mu
}

// A death is a peer's death as the monitor saw it.
type death struct {
	id   uint32
	late time.Duration // after last beat + timeout; negative is early
}

func listen(timer *hashedwheel.Timer, timeout time.Duration) (*monitor, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	m := &monitor{timer: timer, timeout: timeout, listener: l, links: map[*link]bool{}}
	m.running.Go(m.accept)
	return m, nil
}

func (m *monitor) addr() string { return m.listener.Addr().String() }

// close accepts no more connections and waits until every link has ended.
func (m *monitor) close() {
	_ = m.listener.Close()
	m.running.Wait()
}

func (m *monitor) accept() {
	for {
		nc, err := m.listener.Accept()
		if err != nil {
			return // closed
		}
		l := &link{Conn: nc}
		if !m.join(l) {
			_ = nc.Close()
			continue
		}
		m.running.Go(func() {
			defer m.part(l)
			m.watch(l)
		})
	}
}

// join adds a link, unless there is an outage.
func (m *monitor) join(l *link) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.down {
		m.links[l] = true
	}
	return !m.down
}

func (m *monitor) part(l *link) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.links, l)
	_ = l.Close()
}

// outage closes all connections and accepts none for a while.
func (m *monitor) outage(d time.Duration) {
	m.mu.Lock()
	m.down = true
	for l := range m.links {
		_ = l.Close()
	}
	m.mu.Unlock()
	time.Sleep(d)
	m.mu.Lock()
	m.down = false
	m.mu.Unlock()
}

// watch reads beats until the connection ends or the peer falls silent.
func (m *monitor) watch(l *link) {
	l.silence.Init(m.timer, l)
	defer l.silence.Stop()
	deadline := time.Now().Add(m.timeout)
	l.silence.ResetAt(deadline)
	beat := make([]byte, 4)
	for n := 0; ; n++ {
		_, err := io.ReadFull(l, beat)
		now := time.Now()
		next := now.Add(m.timeout)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded), err == nil && !l.silence.ResetAt(next):
			m.bury(binary.BigEndian.Uint32(beat), now.Sub(deadline)) // a beat after the timeout does not count
			m.leave(n)
			return
		case err != nil:
			m.cut.Add(1)
			m.leave(n)
			return
		}
		m.beats.Add(1)
		if n == 0 {
			m.connected.Add(1) // only now: a connection without a beat does not count
		}
		deadline = next
	}
}

// leave ends a link after so many beats.
func (m *monitor) leave(beats int) {
	if beats > 0 {
		m.connected.Add(-1)
	}
}

func (m *monitor) bury(id uint32, late time.Duration) {
	m.dead.Add(1)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deaths = append(m.deaths, death{id, late})
}

// hasNoticed reports whether the death of every dead peer was noticed.
func (m *monitor) hasNoticed(peers []*peer) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	noticed := map[uint32]bool{}
	for _, d := range m.deaths {
		noticed[d.id] = true
	}
	for _, p := range peers {
		if p.died.Load() && !noticed[p.id] {
			return false
		}
	}
	return true
}
