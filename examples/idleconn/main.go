// Idleconn is a server that closes a connection on which no data was received for a second.
//
// Each connection has a Timeout as a field of its struct, and each read moves that Timeout, without an allocation or a
// lock. One Timer holds the Timeouts of all connections. Package idle does the same around any net.Conn or net.Listener
// in one line. Use a Timeout yourself if activity means something other than bytes, such as a request.
//
// A thousand clients talk to the server, and half of them fall silent one after another. The program ends after about
// four seconds. Its exit status is 1 if a connection was closed early, or not at all.
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
	idleTime = time.Second // a connection without data is closed then, at most one tick of 1 ms late
	clients  = 1000
	talking  = 3 * time.Second // for clients that do not fall silent
)

// A conn is the server's end of a connection. It must not be copied.
type conn struct {
	net.Conn
	idle hashedwheel.Timeout
}

// expiry is conn as the task of its Timeout. The conversion allocates nothing; a method value or a closure would.
type expiry conn

// Run is called by the timer at the deadline. It makes Read fail.
func (e *expiry) Run(*hashedwheel.Timeout) { e.Close() }

// A server echoes all data.
type server struct {
	net.Listener
	timer       *hashedwheel.Timer
	running     sync.WaitGroup
	open, reads atomic.Int64
}

func (s *server) accept() {
	defer s.running.Done()
	for {
		c, err := s.Accept()
		if err != nil {
			return // closed
		}
		s.running.Add(1)
		go s.serve(&conn{Conn: c})
	}
}

func (s *server) serve(c *conn) {
	defer s.running.Done()
	s.open.Add(1)
	defer s.open.Add(-1)
	defer c.Close()

	if c.idle.Init(s.timer, (*expiry)(c)).Arm(idleTime) != nil {
		return // the Timer is stopped or full: nothing would close the connection
	}
	defer c.idle.Stop()
	data := make([]byte, 512)
	for {
		n, err := c.Read(data)
		if err != nil || !c.idle.Move(idleTime) { // false: the deadline has just passed
			return
		}
		s.reads.Add(1)
		if _, err := c.Write(data[:n]); err != nil {
			return
		}
	}
}

// An ending is how a connection ended, as its client saw it.
type ending struct {
	closed bool          // by the server
	late   time.Duration // how long after the idle time; negative is early
	err    error
}

// talk occasionally sends a word, and waits for its echo. A silent client then waits until the server closes.
func talk(addr string, until time.Time, silent bool) ending {
	word, said := []byte("hello"), time.Now()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		return ending{err: err}
	}
	defer c.Close()
	_ = c.SetDeadline(until.Add(10 * time.Second))
	for time.Now().Before(until) {
		now := time.Now()
		if _, err = c.Write(word); err == nil {
			_, err = io.ReadFull(c, word)
		}
		if err != nil { // on a stalled machine a talking client may also be silent for too long
			return ending{closed: true, late: time.Since(said) - idleTime}
		}
		said = now
		time.Sleep(rand.N(idleTime / 4))
	}
	if !silent {
		return ending{}
	}
	if _, err = c.Read(word); errors.Is(err, os.ErrDeadlineExceeded) {
		return ending{err: errors.New("a silent connection was not closed")}
	}
	return ending{closed: true, late: time.Since(said) - idleTime}
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	s := &server{Listener: l, timer: hashedwheel.MustNew()}
	s.running.Add(1)
	go s.accept()

	fmt.Fprintf(out, "%d clients, half of them fall silent; connections are closed after %v\n\n", clients, idleTime)
	start, ends := time.Now(), make(chan ending, clients)
	for i := range clients {
		until, silent := start.Add(talking), i%2 == 0
		if silent {
			until = start.Add(rand.N(talking - 5*idleTime/4)) // closed while the others still talk
		}
		go func() { ends <- talk(l.Addr().String(), until, silent) }()
	}
	for range 5 {
		time.Sleep(talking / 6)
		fmt.Fprintf(out, "after %.1fs: %5d connections are open, %4d were closed, and %6d reads have moved a timeout\n",
			time.Since(start).Seconds(), s.open.Load(), s.timer.Stats().Expired, s.reads.Load())
	}
	var late []time.Duration
	for range clients {
		e := <-ends
		if e.closed {
			late = append(late, e.late)
		}
		err = errors.Join(err, e.err)
	}
	l.Close()
	s.running.Wait()
	left, stopErr := s.timer.Shutdown(context.Background())
	if err = errors.Join(err, stopErr); err != nil {
		return err
	}
	slices.Sort(late)
	if late[0] < 0 || len(left) > 0 {
		return fmt.Errorf("the first was closed %v late, and %d timeouts outlived connections", late[0], len(left))
	}
	fmt.Fprintf(out, "\nok: %6d silent connections were closed after %v, none early, half of them less than %v late\n",
		len(late), idleTime, late[len(late)/2].Truncate(100*time.Microsecond)+100*time.Microsecond)
	fmt.Fprintf(out, "    %6d talking ones were kept\n", clients-len(late))
	fmt.Fprintf(out, "    %6d reads moved timeouts; the timer woke %d times\n", s.reads.Load(), s.timer.Stats().Wakeups)
	return nil
}
