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

// A link is a peer's connection and the time by which it has to beat. It is also
// the task that runs when it did not.
type link struct {
	net.Conn
	silence hashedwheel.Timeout // by value; a link must not be copied
}

// past is any time before now: a read deadline that has already passed.
var past = time.Unix(1, 0)

// Run is called by the timer when there was no beat for too long. It only wakes
// the reader, who owns the connection and closes it.
func (l *link) Run(*hashedwheel.Timeout) { _ = l.SetReadDeadline(past) }

// A monitor receives beats, and notices who sends none any more.
type monitor struct {
	timer    *hashedwheel.Timer
	timeout  time.Duration
	listener net.Listener
	running  sync.WaitGroup // accept, and one goroutine a link

	connected, beats, dead, cut atomic.Int64

	mu     sync.Mutex
	down   bool           // hanging up on everybody; guarded by mu
	links  map[*link]bool // guarded by mu
	deaths []death        // guarded by mu
}

// A death is that of a peer, as the monitor saw it.
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

// close accepts no more and waits until every link has ended.
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

// outage hangs up on everybody for a while.
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

// watch reads beats until the peer hangs up, is cut off, or falls silent.
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
			m.bury(binary.BigEndian.Uint32(beat), now.Sub(deadline)) // a beat that came too late is none
			m.leave(n)
			return
		case err != nil:
			m.cut.Add(1)
			m.leave(n)
			return
		}
		m.beats.Add(1)
		if n == 0 {
			m.connected.Add(1) // only now: a connection without a beat is none
		}
		deadline = next
	}
}

// leave is the end of a link after that many beats.
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

// hasNoticed reports whether all peers that died were taken for dead.
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
