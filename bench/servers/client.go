package servers

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/child"
)

// role is set in a process that is to be the clients of a server.
const role = "HASHEDWHEEL_BENCH_CLIENTS"

// Clients are connections to a server, held by a process of their own, so that the
// CPU time of this one is the server's alone.
type Clients struct {
	cmd *exec.Cmd
	to  io.WriteCloser
	out *json.Decoder
}

// order is what the clients are to do. They answer each with an Answer.
type order struct {
	Addr string // connect
	HTTP bool
	Conns,
	Rate int // requests a second; 0: as fast as they are answered
	For time.Duration // 0: one request on each connection
}

// Answer is what clients have seen.
type Answer struct {
	Requests  int
	Took      time.Duration
	P50, P999 time.Duration // from the intended start, if there was a rate
	Fault     string
}

// Connect starts clients and connects them.
func Connect(ctx context.Context, s *Server, overHTTP bool, conns int) (*Clients, error) {
	c := &Clients{cmd: child.Self(ctx)}
	c.cmd.Env = append(os.Environ(), role+"=1")
	c.cmd.Stderr = os.Stderr
	var err error
	if c.to, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	c.out = json.NewDecoder(bufio.NewReader(out))
	if err := c.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = c.ask(order{Addr: s.Addr, HTTP: overHTTP, Conns: conns})
	return c, err
}

// Once sends a request on every connection.
func (c *Clients) Once() (Answer, error) { return c.ask(order{}) }

// Saturate sends requests as fast as they are answered.
func (c *Clients) Saturate(d time.Duration) (Answer, error) { return c.ask(order{For: d}) }

// Keep sends so many requests a second, whether they are answered or not.
func (c *Clients) Keep(rate int, d time.Duration) (Answer, error) {
	return c.ask(order{Rate: rate, For: d})
}

// Close ends the process, and with it the connections.
func (c *Clients) Close() {
	c.to.Close()
	_ = c.cmd.Wait()
}

func (c *Clients) ask(o order) (a Answer, err error) {
	if err := json.NewEncoder(c.to).Encode(o); err != nil {
		return a, err
	}
	if err := c.out.Decode(&a); err != nil {
		return a, err
	}
	if a.Fault != "" {
		return a, fmt.Errorf("client: %s", a.Fault)
	}
	return a, nil
}

// Main makes this process the clients of a server, if it was started for that, and
// does not return then. Each program that starts clients calls it first.
func Main() {
	if os.Getenv(role) == "" {
		return
	}
	var all callers
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var o order
		if err := in.Decode(&o); err != nil {
			os.Exit(0)
		}
		a, err := all.obey(o)
		if err != nil {
			a.Fault = err.Error()
		}
		_ = out.Encode(a)
	}
}
