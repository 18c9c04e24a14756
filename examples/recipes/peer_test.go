package recipes_test

import (
	"fmt"
	"io"
	"net"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A peer is alive while it answers pings, or takes large messages. The pings themselves prove nothing.
type peer struct {
	net.Conn
	alive hashedwheel.Timeout
}

func newPeer(tm *hashedwheel.Timer, c net.Conn) (*peer, error) {
	p := &peer{Conn: c}
	p.alive.InitFunc(tm, func() { c.Close() }).Reset(time.Minute)
	return p, p.alive.Err() // stopped: nothing would close it
}

// onPong is called for each pong and each request that was read.
func (p *peer) onPong() { p.alive.Move(time.Minute) }

// Write sends a message. A finished Write proves that the peer reads, at least what the socket does not buffer.
func (p *peer) Write(b []byte) (int, error) {
	n, err := p.Conn.Write(b)
	if err == nil {
		p.alive.Move(time.Minute)
	}
	return n, err
}

func (p *peer) ping() error {
	_, err := p.Conn.Write([]byte("ping")) // not by Write: nobody needs to have read it
	return err
}

func (p *peer) Close() error {
	p.alive.Stop()
	return p.Conn.Close()
}

// A server that pings its peers closes those that neither answer nor take messages. Move never arms: a pong that is
// read after the task has begun, or after Close, does not bring the timeout back, so no flag is needed.
func Example_peer() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()
	server, client := net.Pipe()
	go io.Copy(io.Discard, client) // reads, answers nothing

	p, err := newPeer(tm, server)
	if err != nil {
		return
	}
	clock.Advance(50 * time.Second)
	p.onPong()
	clock.Advance(50 * time.Second)
	fmt.Fprint(p, "a message")
	clock.Advance(50 * time.Second)
	fmt.Println(p.ping(), p.alive.State())
	clock.Advance(10 * time.Second)
	fmt.Println(p.ping(), p.alive.State())
	p.onPong() // too late
	fmt.Println(tm.Pending(), "pending")
	// Output:
	// <nil> Pending
	// io: read/write on closed pipe Expired
	// 0 pending
}
