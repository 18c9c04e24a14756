// Heartbeat has peers that send beats at a fixed rate, and a monitor that notices which of them are dead.
//
// The beats of a peer are a Series (Timer.EveryFrom): they are due on a grid, so they do not drift, and no burst
// follows a stall. The monitor has a Timeout for each peer, and arms it again at every beat. If it expires, the peer is
// dead; if it was not pending, the peer is new, or back.
//
// A hundred peers send beats over UDP. After a second half of them die, and after another second they are back. The
// program ends after three seconds. Its exit status is 1 if a death was noticed early or not at all, or a return not.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

const (
	peers  = 100
	period = 100 * time.Millisecond // between two beats of a peer
	limit  = 350 * time.Millisecond // without a beat for so long a peer is dead
	tick   = 5 * time.Millisecond   // beats and notices are at most this much later, plus the delay of a busy machine
)

// A peer sends beats.
type peer struct {
	id   byte
	conn net.Conn
	dead atomic.Bool
	sent atomic.Int64    // when the last beat was sent, after start
	late []time.Duration // of each beat
}

var start = time.Now()

// beat is the function of the Series. Its runs do not overlap, so late needs no lock.
func (p *peer) beat(s *hashedwheel.Series) {
	due := s.Next().Add(-period) // the next run is armed already
	p.late = append(p.late, time.Since(due))
	p.sent.Store(int64(time.Since(start)))
	_, _ = p.conn.Write([]byte{p.id}) // if it fails, there is a next beat
}

// A monitor receives the beats.
type monitor struct {
	conn     net.PacketConn
	silence  [peers]hashedwheel.Timeout // of each peer: expires after limit
	received atomic.Int64               // beats
	alive    atomic.Int64               // peers

	mu   sync.Mutex
	late []time.Duration // of the notices of deaths; guarded by mu
}

func (m *monitor) listen() {
	for id := make([]byte, 1); ; {
		if _, _, err := m.conn.ReadFrom(id); err != nil {
			return // closed
		}
		m.received.Add(1)
		if !m.silence[id[0]].Reset(limit) { // Move would not arm it again
			m.alive.Add(1)
		}
	}
}

// miss runs when p was silent for limit. A stalled machine may make a living peer silent as well.
func (m *monitor) miss(p *peer) {
	m.alive.Add(-1)
	if p.dead.Load() {
		late := time.Since(start) - time.Duration(p.sent.Load()) - limit
		m.mu.Lock()
		defer m.mu.Unlock()
		m.late = append(m.late, late)
	}
}

// await waits until n peers are alive.
func (m *monitor) await(n int) error {
	for end := time.Now().Add(10 * time.Second); m.alive.Load() != int64(n); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			return fmt.Errorf("%d peers seem to be alive, and not %d", m.alive.Load(), n)
		}
	}
	return nil
}

func median(d []time.Duration) time.Duration {
	slices.Sort(d)
	return d[len(d)/2].Round(100 * time.Microsecond)
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) error {
	conn, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer conn.Close()
	tm := hashedwheel.MustNew(hashedwheel.WithTick(tick)) // tasks run in goroutines, since Write may block
	m := &monitor{conn: conn}
	var all [peers]peer
	var beats [peers]*hashedwheel.Series
	for i := range all {
		p := &all[i]
		p.id = byte(i)
		if p.conn, err = net.Dial("udp", conn.LocalAddr().String()); err != nil {
			return err
		}
		defer p.conn.Close()
		m.silence[i].InitFunc(tm, func() { m.miss(p) })
		beats[i] = tm.EveryFrom(tm.Now().Add(rand.N(period)), period, p.beat) // not all in the same tick
	}
	go m.listen()
	scene := func(what string, alive int) {
		err = errors.Join(err, m.await(alive))
		fmt.Fprintf(out, "%3.1fs  %-26s %3d peers are alive, %4d beats received\n",
			time.Since(start).Seconds(), what, m.alive.Load(), m.received.Load())
	}
	scene("all peers are here", peers)
	time.Sleep(time.Second)
	scene("half of them die", peers)
	for i := range peers / 2 {
		all[i].dead.Store(true)
		beats[i].Stop()
	}
	scene("their deaths are noticed", peers/2)
	time.Sleep(time.Second - limit)
	scene("they come back", peers/2)
	for i := range peers / 2 {
		all[i].dead.Store(false)
		beats[i].Reset(period)
	}
	scene("they are here again", peers)
	time.Sleep(time.Second)
	if _, late := tm.Shutdown(context.Background()); errors.Join(err, late) != nil {
		return errors.Join(err, late)
	}
	var late []time.Duration
	for i := range all {
		late = append(late, all[i].late...)
	}
	if early := -slices.Min(m.late); early > 0 {
		return fmt.Errorf("a death was noticed %v early", early)
	}
	fmt.Fprintf(out, "\nok: %5d beats were on their grid, half of them less than %v late\n", len(late), median(late))
	fmt.Fprintf(out, "    %5d deaths were noticed %v after the last beat, none early, half of them less than %v late\n",
		len(m.late), limit, median(m.late))
	fmt.Fprintf(out, "    %5d returns were noticed at the first beat\n", len(m.late))
	return nil
}
