// Idleconn closes idle connections in both ways that package idle has.
//
// Two TCP echo servers, each with a hashedwheel.Timer, serve the same kind of clients. Half of
// the clients keep talking, half fall silent. The first server has its connections watched
// (idle.Watch): when the idle time is over, the kernel reports when data was last received or
// sent. The second server wraps its connections (idle.NewConn) and counts: each read and write
// moves the timeout. A Conn counts wherever the kernel cannot be asked. In the table, look at
//
//   - "silent, closed" and "talking, kept": the server closed the silent connections and no other;
//   - "timeouts expired": one for each silent connection if counted; if watched, about one for
//     each connection and idle time, as the kernel is asked each time;
//   - "closed late by": never below zero. The tick adds up to 10 ms, the kernel's coarse clock
//     up to 20 ms if watched, and a busy machine adds more.
//
// The exit status is 1 if a connection was closed early or not at all.
//
// Read server.go for the use of the library; client.go and report.go hold the clients and the table.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
	"github.com/hashedwheel/hashedwheel/idle"
)

// grace is how late a close may be on a busy machine before the connection counts as forgotten.
const grace = 4 * time.Second

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var c config
	return example.Program{
		Name:  "idleconn",
		Flags: c.flags,
		Check: c.check,
		Show:  c.show,
	}.Run(args, stdout, stderr)
}

// show serves the clients and prints the result.
func (c *config) show(stdout io.Writer) error {
	r, err := serve(*c, stdout)
	if err != nil {
		return err
	}
	r.print(stdout)
	if err := r.verdict(); err != nil {
		return err
	}
	r.summarize(stdout, c.idle)
	return nil
}

type config struct {
	clients              int
	idle, tick, duration time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.clients, "clients", 200, "`number` of clients; half of them fall silent")
	flags.DurationVar(&c.idle, "idle", time.Second, "close a connection after this `time` without data")
	flags.DurationVar(&c.tick, "tick", 10*time.Millisecond, "the timer's tick, a `time`: how late a close may be")
	flags.DurationVar(&c.duration, "duration", 3*time.Second, "`time` for which the clients talk")
}

// check returns an error that names the first wrong flag, and its value.
func (c *config) check() error {
	switch {
	case c.clients < 4:
		return fmt.Errorf("-clients %d: must be at least 4, one to talk and one to fall silent for each way", c.clients)
	case c.idle < 10*time.Millisecond:
		return fmt.Errorf("-idle %v: must be at least 10ms, for clients that talk ten times in it", c.idle)
	case c.tick < 100*time.Microsecond:
		return fmt.Errorf("-tick %v: must be at least 100µs", c.tick)
	case c.duration <= 0:
		return fmt.Errorf("-duration %v: must be positive", c.duration)
	case c.idle >= c.duration:
		return fmt.Errorf("-idle %v: must be shorter than -duration %v, or no connection would be closed", c.idle, c.duration)
	case c.tick >= c.duration-c.idle:
		return fmt.Errorf("-tick %v: must be shorter than -duration %v less -idle %v, or no connection would be closed",
			c.tick, c.duration, c.idle)
	}
	return enoughFiles(c.clients)
}

// serve runs the servers and their clients from beginning to end.
func serve(cfg config, stdout io.Writer) (*report, error) {
	r := &report{clients: cfg.clients, before: runtime.NumGoroutine()}
	servers, err := listenAll(cfg, stdout)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stdout, "%d clients, %d of them fall silent: closed after %v without data, tick %v\n\n",
		cfg.clients, cfg.clients/2, cfg.idle, cfg.tick)
	clients := startClients(cfg, servers)
	progress(stdout, servers, cfg.duration/3, clients.done)
	for _, s := range servers {
		s.close()
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		left, late := s.timer.Shutdown(ctx) // left is empty: no connection is open
		cancel()
		err = errors.Join(err, late)
		r.sides = append(r.sides, newSide(s, len(left)))
	}
	r.after = example.Goroutines(r.before)
	return r, errors.Join(err, clients.err())
}

// listenAll starts a server for each way that this system supports.
func listenAll(cfg config, stdout io.Writer) (servers []*server, err error) {
	ways := []struct {
		name string
		way  way
	}{{"watched", watch}, {"counted", count}}
	if !canWatch() {
		fmt.Fprintln(stdout, "This kernel does not report when data was last received: all connections are counted.")
		ways = ways[1:]
	}
	for _, w := range ways {
		// The default executor runs each task in a goroutine. The tasks close connections, which may block.
		timer, err := hashedwheel.New(hashedwheel.WithTick(cfg.tick))
		if err != nil {
			return nil, err
		}
		s, err := listen(w.name, w.way, timer, cfg.idle)
		if err != nil {
			return nil, err
		}
		servers = append(servers, s)
	}
	return servers, nil
}

// canWatch reports whether idle.Watch is supported.
func canWatch() bool {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return false
	}
	defer l.Close()
	nc, err := net.Dial("tcp", l.Addr().String())
	if err != nil {
		return false
	}
	defer nc.Close()
	w, err := idle.Watch(hashedwheel.MustNew(), nc, time.Hour, func(net.Conn) {})
	if err != nil {
		return false
	}
	return w.Stop()
}

// progress prints a line at every interval until the clients are done.
func progress(w io.Writer, servers []*server, interval time.Duration, done <-chan struct{}) {
	start := time.Now()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			fmt.Fprintf(w, "%6.2fs", time.Since(start).Seconds())
			for _, s := range servers {
				open, closed, hungUp := s.now()
				fmt.Fprintf(w, "   %s: %4d open %4d closed %4d hung up", s.name, open, closed, hungUp)
			}
			fmt.Fprintln(w)
		}
	}
}
