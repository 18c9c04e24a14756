package main

import (
	"bufio"
	"net"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A call is a call in flight, its timeout, and the timeout's task.
//
// The Timeout decides whether the answer or the deadline ends the call. If Stop returns true,
// the answer does; if false, Run does. Only the winner sends to done. The caller that receives
// from done owns the call again and may put it back in the pool.
//
// A call in client.pending has not ended, because answer and Run both hold client.mu. So answer
// never stops the timeout of a call that was put back and used again.
type call struct {
	client  *client
	timeout hashedwheel.Timeout // a call must not be copied
	id      uint64              // new for each use, so that a late answer finds no call
	done    chan outcome        // has room for one, so that ending a call never blocks
}

// An outcome is how a call ended.
type outcome struct {
	id    uint64
	value uint64
	err   error         // os.ErrDeadlineExceeded, or why the connection broke
	late  time.Duration // by how much the deadline was exceeded; negative is early
}

// A client makes calls over one connection. It is safe for concurrent use.
type client struct {
	timer   *hashedwheel.Timer
	timeout time.Duration
	conn    *net.TCPConn
	out     frameWriter
	reader  sync.WaitGroup
	pool    sync.Pool // of *call

	mu      sync.Mutex
	pending map[uint64]*call // guarded by mu
	lastID  uint64           // guarded by mu
	broken  error            // why no more calls can be made; guarded by mu

	// For the report; a real client needs none of these.
	made, armed, stopped, expired, dropped, twice atomic.Int64
}

func dial(addr string, timer *hashedwheel.Timer, timeout time.Duration) (*client, error) {
	nc, err := net.Dial("tcp", addr)
	if err != nil {
		return nil, err
	}
	cl := newClient(timer, timeout)
	cl.conn = nc.(*net.TCPConn)
	cl.out.w = nc
	cl.reader.Go(cl.read)
	return cl, nil
}

// newClient returns a client without a connection. Its pool binds the Timeout once, when it
// makes a call. A used Timeout is armed again and never overwritten: the timer may still hold it.
func newClient(timer *hashedwheel.Timer, timeout time.Duration) *client {
	cl := &client{timer: timer, timeout: timeout, pending: map[uint64]*call{}}
	cl.pool.New = func() any {
		cl.made.Add(1)
		c := &call{client: cl, done: make(chan outcome, 1)}
		c.timeout.Init(timer, c)
		return c
	}
	return cl
}

// do makes a call and waits until it has ended.
func (cl *client) do(argument uint64) outcome {
	c := cl.pool.Get().(*call)
	defer cl.pool.Put(c)
	id, err := cl.begin(c)
	if err != nil {
		return outcome{err: err}
	}
	if err := cl.out.write(frame{id, argument}); err != nil {
		cl.fail(err)
	}
	end := <-c.done
	if end.id != id {
		cl.twice.Add(1) // an earlier use of c was ended again
	}
	return end
}

// begin gives the call a number and a deadline. After it the call has exactly one outcome.
func (cl *client) begin(c *call) (id uint64, err error) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if cl.broken != nil {
		return 0, cl.broken
	}
	c.timeout.ResetAt(time.Now().Add(cl.timeout))
	if err := c.timeout.Err(); err != nil {
		return 0, err // refused: no deadline would end the call
	}
	cl.armed.Add(1)
	cl.lastID++
	c.id = cl.lastID
	cl.pending[c.id] = c
	return c.id, nil
}

// answer ends the answered call, if it is still waiting.
func (cl *client) answer(f frame) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	c := cl.pending[f.id]
	if c == nil || !c.timeout.Stop() {
		cl.dropped.Add(1) // too late
		return
	}
	delete(cl.pending, f.id)
	cl.stopped.Add(1)
	c.end(outcome{id: f.id, value: f.value})
}

// Run is called by the timer when the deadline has passed.
func (c *call) Run(to *hashedwheel.Timeout) {
	late := time.Since(to.Deadline())
	cl := c.client
	cl.mu.Lock()
	defer cl.mu.Unlock()
	delete(cl.pending, c.id)
	cl.expired.Add(1)
	c.end(outcome{id: c.id, err: os.ErrDeadlineExceeded, late: late})
}

// fail ends every call because the connection is broken. If a timeout can no longer be stopped,
// Run ends its call.
func (cl *client) fail(err error) {
	cl.mu.Lock()
	defer cl.mu.Unlock()
	if cl.broken == nil {
		cl.broken = err
	}
	for id, c := range cl.pending {
		if c.timeout.Stop() {
			delete(cl.pending, id)
			cl.stopped.Add(1)
			c.end(outcome{id: id, err: err})
		}
	}
}

// end hands the outcome to the caller, who owns the call again when it receives.
func (c *call) end(o outcome) {
	select {
	case c.done <- o:
	default:
		c.client.twice.Add(1) // never: the call had already ended
	}
}

// read receives answers until the connection ends.
func (cl *client) read() {
	in := &frameReader{r: bufio.NewReader(cl.conn)}
	for {
		f, err := in.read()
		if err != nil {
			cl.fail(err)
			return
		}
		cl.answer(f)
	}
}

// close hangs up, and waits for late answers, at most for limit.
func (cl *client) close(limit time.Duration) {
	_ = cl.conn.SetReadDeadline(time.Now().Add(limit))
	_ = cl.conn.CloseWrite()
	cl.reader.Wait()
	_ = cl.conn.Close()
}

// timeoutAllocs returns the number of allocations for the timeout of a call: the steps of do and
// answer without the network.
func (cl *client) timeoutAllocs() float64 {
	const calls = 100_000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range calls {
		c := cl.pool.Get().(*call)
		c.timeout.Reset(time.Hour)
		c.timeout.Stop()
		cl.pool.Put(c)
	}
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / calls
}
