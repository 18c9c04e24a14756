package servers

import (
	"context"
	"io"
	"net/rpc"
	"os"
	"os/exec"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/child"
)

// role is set in a process of clients.
const role = "HASHEDWHEEL_BENCH_CLIENTS"

// Clients are connections to a server, held by a separate process, so that the CPU
// time of this process is the server's alone.
type Clients struct {
	cmd *exec.Cmd
	rpc *rpc.Client
}

// pipes are both directions of a connection between two processes.
type pipes struct {
	io.Reader
	io.WriteCloser
}

// Connect starts clients and connects them.
func Connect(ctx context.Context, s *Server, overHTTP bool, conns int) (*Clients, error) {
	cmd := child.Self(ctx)
	cmd.Env, cmd.Stderr = append(os.Environ(), role+"=1"), os.Stderr
	to, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	c := &Clients{cmd, rpc.NewClient(pipes{from, to})}
	return c, c.rpc.Call("Callers.Connect", Target{s.Addr, overHTTP, conns}, new(Answer))
}

// Once sends a request on every connection.
func (c *Clients) Once() (a Answer, err error) {
	err = c.rpc.Call("Callers.Once", Work{}, &a)
	return a, err
}

// Saturate sends requests as fast as they are answered.
func (c *Clients) Saturate(d time.Duration) (Answer, error) { return c.Keep(0, d) }

// Keep sends rate requests a second, whether they are answered or not.
func (c *Clients) Keep(rate int, d time.Duration) (a Answer, err error) {
	err = c.rpc.Call("Callers.Run", Work{rate, d}, &a)
	return a, err
}

// Close ends the process, and with it the connections.
func (c *Clients) Close() {
	_ = c.rpc.Close() // the process ends
	_ = c.cmd.Wait()
}

// Main serves as the clients and ends the process, if this process was started by
// Connect. Each program that calls Connect calls Main first.
func Main() {
	if os.Getenv(role) == "" {
		return
	}
	if err := rpc.Register(new(Callers)); err != nil {
		panic(err)
	}
	rpc.ServeConn(pipes{os.Stdin, os.Stdout})
	os.Exit(0)
}
