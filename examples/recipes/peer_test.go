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
	if err := p.alive.Init(tm, (*death)(p)).Arm(time.Minute); err != nil {
		return nil, err // the Timer is full or stopped: nothing would close the connection
	}
	return p, nil
}

// death is peer as the task of its Timeout.
type death peer

func (d *death) Run(*hashedwheel.Timeout) { d.Conn.Close() }

// onPong is called for each pong and each request that is read.
func (p *peer) onPong() { p.alive.Move(time.Minute) }

// Write sends a message. A finished Write proves that the peer reads, except for data that the socket buffers.
func (p *peer) Write(b []byte) (int, error) {
	n, err := p.Conn.Write(b)
	if err == nil {
		p.alive.Move(time.Minute)
	}
	return n, err
}

func (p *peer) ping() error {
	_, err := p.Conn.Write([]byte("ping")) // not by Write: the socket buffers a ping that the peer does not read
	return err
}

func (p *peer) Close() error {
	p.alive.Stop()
	return p.Conn.Close()
}

// A server pings its peers, and closes peers that neither answer nor read messages. Move never arms a Timeout that is
// not pending, so a pong that is read after the task has begun, or after Close, has no effect, and no flag is needed.
func Example_peer() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()
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
