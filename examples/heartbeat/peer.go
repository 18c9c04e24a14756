package main

import (
	"encoding/binary"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A peer sends a beat at each point of a grid, and connects when it has to.
type peer struct {
	id     uint32
	addr   string
	period time.Duration
	start  time.Time // of the grid
	series *hashedwheel.Series

	// What beat works with needs no guard: a series never overlaps itself, and
	// each of its runs happens before the next. The report is made when all have
	// ended.
	dials int
	late  []time.Duration // each beat, after its point of the grid

	died atomic.Bool
	mu   sync.Mutex
	conn net.Conn // nil if there is none; guarded by mu
}

// startPeers starts the peers, their grids spread over a period.
func startPeers(tm *hashedwheel.Timer, cfg config, addr string) (all []*peer) {
	for i := range cfg.peers {
		time.Sleep(cfg.every / time.Duration(cfg.peers))
		p := &peer{id: uint32(i), addr: addr, period: cfg.every, start: time.Now()}
		p.series = tm.Every(cfg.every, p.beat)
		all = append(all, p)
	}
	return all
}

// beat is the series: it connects if need be, and sends a beat. If either fails
// it leaves it at that: the next run is the next attempt.
func (p *peer) beat(*hashedwheel.Series) {
	p.late = append(p.late, time.Since(p.start)%p.period)
	conn := p.connection()
	if conn == nil {
		p.dials++
		fresh, err := net.DialTimeout("tcp", p.addr, time.Second) // runs due meanwhile are left out
		if err != nil {
			return
		}
		conn = fresh
		p.use(conn)
	}
	if _, err := conn.Write(binary.BigEndian.AppendUint32(nil, p.id)); err != nil {
		_ = conn.Close()
		p.use(nil)
	}
}

func (p *peer) connection() net.Conn {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.conn
}

func (p *peer) use(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conn = conn
}

// die ends the series, and nothing else: the connection stays open.
func (p *peer) die() {
	p.died.Store(true)
	p.series.Stop()
}

// hangUp closes what is open, once the series has ended.
func (p *peer) hangUp() {
	if conn := p.connection(); conn != nil {
		_ = conn.Close()
	}
}
