package main

import (
	"encoding/binary"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A peer sends a beat at each point of its grid, and connects if necessary.
type peer struct {
	id     uint32
	addr   string
	period time.Duration
	start  time.Time // of the grid
	series *hashedwheel.Series

	// The fields of beat need no guard: the runs of a series never overlap, and each happens
	// before the next. The report reads them when all series have ended.
	dials int
	late  []time.Duration // of each beat, after its point of the grid

	died atomic.Bool
	mu   sync.Mutex
	conn net.Conn // nil if there is none; guarded by mu
}

// startPeers starts the peers. Their grids are spread over a period.
func startPeers(tm *hashedwheel.Timer, cfg config, addr string) (all []*peer) {
	for i := range cfg.peers {
		time.Sleep(cfg.every / time.Duration(cfg.peers))
		p := &peer{id: uint32(i), addr: addr, period: cfg.every, start: time.Now()}
		p.series = tm.Every(cfg.every, p.beat)
		all = append(all, p)
	}
	return all
}

// beat is a run of the series: it connects if necessary, and sends a beat. If either fails, the
// next run tries again.
func (p *peer) beat(*hashedwheel.Series) {
	p.late = append(p.late, time.Since(p.start)%p.period)
	conn := p.connection()
	if conn == nil {
		p.dials++
		fresh, err := net.DialTimeout("tcp", p.addr, time.Second) // runs that are due until it returns are left out
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

// die ends the series. The connection stays open.
func (p *peer) die() {
	p.died.Store(true)
	p.series.Stop()
}

// hangUp closes the connection once the series has ended.
func (p *peer) hangUp() {
	if conn := p.connection(); conn != nil {
		_ = conn.Close()
	}
}
