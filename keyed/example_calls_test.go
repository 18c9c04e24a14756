package keyed_test

import (
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// A Client sends requests over one connection, on which answers come back in any order.
type Client struct {
	send   func(id uint64, request string)
	lastID atomic.Uint64
	calls  *keyed.Map[uint64, chan<- answer]
	closed atomic.Bool
}

type answer struct {
	text string
	err  error
}

var errTimeout, errClosed = errors.New("no answer in time"), errors.New("closed")

// NewClient returns a Client. Each call ends once, by its answer or by its deadline: whichever
// takes it out of the table sends to its channel, which has room for one.
func NewClient(tm *hashedwheel.Timer, send func(uint64, string)) *Client {
	return &Client{send: send, calls: keyed.New(tm, func(_ uint64, c chan<- answer) {
		c <- answer{err: errTimeout}
	})}
}

func (c *Client) Call(request string, timeout time.Duration) <-chan answer {
	id, reply := c.lastID.Add(1), make(chan answer, 1)
	if err := c.calls.Set(id, reply, timeout); err != nil {
		reply <- answer{err: err} // not sent: too many calls are in flight
		return reply
	}
	if c.closed.Load() { // after Set: Close may have drained before it
		c.end(id, answer{err: errClosed})
		return reply
	}
	c.send(id, request)
	return reply
}

// Received is called for each answer. A late answer finds no call.
func (c *Client) Received(id uint64, text string) { c.end(id, answer{text: text}) }

func (c *Client) end(id uint64, a answer) {
	if reply, ok := c.calls.Delete(id); ok {
		reply <- a
	}
}

// Close ends the calls in flight, and refuses later ones.
func (c *Client) Close() {
	c.closed.Store(true)
	c.calls.Drain(func(_ uint64, reply chan<- answer) { reply <- answer{err: errClosed} })
}

// A table of calls in flight: nearly all are answered long before their deadline.
func Example_callsInFlight() {
	tm, clock := example()
	defer tm.StopAll()
	client := NewClient(tm, func(id uint64, request string) { fmt.Println("sent", id, request) })

	first := client.Call("ping", time.Second)
	second := client.Call("sleep", time.Second)
	third := client.Call("wait", time.Minute)
	client.Received(1, "pong")
	clock.Advance(time.Second)
	client.Received(2, "too late")
	client.Close()
	for _, reply := range []<-chan answer{first, second, third} {
		a := <-reply
		fmt.Printf("%q %v\n", a.text, a.err)
	}
	// Output:
	// sent 1 ping
	// sent 2 sleep
	// sent 3 wait
	// "pong" <nil>
	// "" no answer in time
	// "" closed
}
