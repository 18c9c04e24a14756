// Rpcdeadline is an RPC client with a deadline for every call.
//
// Calls are kept in a pool. Each has a Timeout as a field of its struct, which is bound to the Timer once, and armed
// for each use without an allocation. The answer nearly always stops it a moment later. (If you have no table of calls,
// package keyed provides one.)
//
// For five seconds a hundred callers share a connection to a server that answers one call in fifty too late, and one in
// fifty never. The exit status is 1 if a call was lost, ended early, or got the answer to another call.
package main

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

const (
	timeout        = 100 * time.Millisecond // of a call
	callers, calls = 100, 600               // calls of each caller
)

// A frame is a request or an answer. Value is the argument or the result.
type frame struct{ ID, Value uint64 }

// A client makes calls over one connection.
type client struct {
	conn    net.Conn
	pool    sync.Pool // of *call
	mu      sync.Mutex
	lastID  uint64           // guarded by mu
	pending map[uint64]*call // calls that have not ended; guarded by mu
}

// A call is a call, its Timeout, and the Timeout's task. It must not be copied.
type call struct {
	client   *client
	deadline hashedwheel.Timeout
	id       uint64 // a new one for each use: a late answer finds no call
	result   uint64
	done     chan error // has room for one error, so that a send never blocks
}

func newClient(conn net.Conn, tm *hashedwheel.Timer) *client {
	cl := &client{conn: conn, pending: map[uint64]*call{}}
	cl.pool.New = func() any {
		c := &call{client: cl, done: make(chan error, 1)}
		c.deadline.Init(tm, c) // only once: a used Timeout is armed again, never overwritten
		return c
	}
	return cl
}

// do makes a call, and returns when the call has ended.
func (cl *client) do(argument uint64) (result uint64, err error) {
	c := cl.pool.Get().(*call)
	defer cl.pool.Put(c)
	cl.mu.Lock()
	cl.lastID++
	c.id = cl.lastID
	cl.pending[c.id] = c // before the deadline is armed, so that Run finds the call
	cl.mu.Unlock()
	if err := c.deadline.Arm(timeout); err != nil {
		c.fail(err) // the Timer is stopped or full: no deadline would end the call
	}
	_ = binary.Write(cl.conn, binary.BigEndian, frame{c.id, argument}) // if it fails, the deadline ends the call
	err = <-c.done
	return c.result, err
}

// read receives answers. If Stop returns true, the answer ends the call; otherwise Run does.
func (cl *client) read() {
	var f frame
	for in := bufio.NewReader(cl.conn); binary.Read(in, binary.BigEndian, &f) == nil; {
		cl.mu.Lock()
		if c := cl.pending[f.ID]; c != nil && c.deadline.Stop() {
			delete(cl.pending, f.ID)
			c.result = f.Value
			c.done <- nil
		}
		cl.mu.Unlock()
	}
}

// Run is called by the timer when the deadline has passed.
func (c *call) Run(*hashedwheel.Timeout) { c.fail(os.ErrDeadlineExceeded) }

func (c *call) fail(err error) {
	c.client.mu.Lock()
	defer c.client.mu.Unlock()
	delete(c.client.pending, c.id)
	c.done <- err
}

// serve is the server. It delays answers with the time package, independently of the Timer under test.
func serve(conn net.Conn) {
	var f frame
	for in := bufio.NewReader(conn); binary.Read(in, binary.BigEndian, &f) == nil; {
		answer := frame{f.ID, ^f.Value}
		if f.ID%50 == 25 {
			time.AfterFunc(3*timeout, func() { _ = binary.Write(conn, binary.BigEndian, answer) })
		} else if f.ID%50 != 0 { // these get no answer
			_ = binary.Write(conn, binary.BigEndian, answer)
		}
	}
}

func main() {
	if err := run(os.Stdout); err != nil {
		log.Fatal(err)
	}
}

func run(out io.Writer) error {
	fmt.Fprintf(out, "%d callers, %d calls each; of 50 calls one is answered too late, and one never\n", callers, calls)
	defer time.AfterFunc(time.Minute, func() { panic("a call was lost") }).Stop()
	// Inline runs tasks on the Timer's goroutine, one after another. That suits Run, which returns within microseconds.
	tm := hashedwheel.MustNew(hashedwheel.WithExecutor(hashedwheel.Inline{}))
	here, there := net.Pipe()
	defer here.Close() // ends serve and read
	cl := newClient(here, tm)
	go cl.read()
	go serve(there)
	var all sync.WaitGroup
	var mu sync.Mutex        // guards late and wrong
	var late []time.Duration // how late each call ended whose deadline passed
	var wrong error          // about a call that neither was answered nor ended at its deadline
	for range callers {
		all.Add(1)
		go func() {
			defer all.Done()
			for range calls {
				argument, due := rand.Uint64(), time.Now().Add(timeout)
				result, err := cl.do(argument)
				mu.Lock()
				if after := time.Since(due); errors.Is(err, os.ErrDeadlineExceeded) && after >= 0 {
					late = append(late, after)
				} else if err != nil || result != ^argument {
					wrong = fmt.Errorf("call %x ended %v after its deadline, with %x, %w", argument, after, result, err)
				}
				mu.Unlock()
			}
		}()
	}
	all.Wait()
	cost := testing.Benchmark(func(b *testing.B) {
		for c := cl.pool.Get().(*call); b.Loop(); c.deadline.Stop() {
			c.deadline.Reset(timeout)
		}
	})
	if left := tm.StopAll(); wrong != nil || len(left) > 0 {
		return fmt.Errorf("%d timeouts outlived their calls; %v", len(left), wrong)
	}
	slices.Sort(late)
	fmt.Fprintf(out, "\nok: %6d calls were answered in time\n", callers*calls-len(late))
	fmt.Fprintf(out, "    %6d ended at the deadline, none early, half of them less than %v late\n",
		len(late), late[len(late)/2].Truncate(100*time.Microsecond)+100*time.Microsecond)
	fmt.Fprintf(out, "    %6d ns, %d allocations: the cost of a stopped deadline\n", cost.NsPerOp(), cost.AllocsPerOp())
	return nil
}
