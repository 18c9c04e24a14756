// Idleconn has idle connections closed, in both ways that package idle knows.
//
// Two TCP echo servers with a hashedwheel.Timer each serve the same kind of clients, of
// whom half keep talking and half fall silent. One leaves its connections as they
// are and has them watched (idle.Watch): when the idle time is over the kernel is asked
// when data last came or went. The other has them wrapped (idle.NewConn) and counts for
// itself, as a Conn does wherever there is no such kernel: each read and write moves
// the timeout. In the table at the end, look at
//
//   - "closed as idle" and "kept": who fell silent was closed, who talked was not;
//   - "timeouts expired": counting, only those that were idle; watching, every time the
//     kernel was asked, which is about once for each connection and idle time;
//   - "closed late by": never below zero. Counting it is up to a tick, watching up to 20 ms
//     more, as the kernel's own clock is coarse; and what the machine adds.
//
// The exit status is 1 if a connection was closed early or not at all.
//
// Read server.go for the use of the library; client.go and report.go are the
// clients and the table.
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

// grace is how long after the end of the run an idle connection may still be
// closed, before it counts as forgotten: a busy machine may be late.
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
		Held:  "nobody was closed early, and nobody forgotten",
	}.Run(args, stdout, stderr)
}

// show runs all and prints what came of it.
func (c *config) show(stdout io.Writer) error {
	r, err := serve(*c, stdout)
	if err != nil {
		return err
	}
	r.print(stdout)
	return r.verdict()
}

type config struct {
	clients              int
	idle, tick, duration time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.clients, "clients", 200, "`number` of clients; half of them fall silent")
	flags.DurationVar(&c.idle, "idle", time.Second, "close a connection after this `time` without a word")
	flags.DurationVar(&c.tick, "tick", 10*time.Millisecond, "the timer's tick, a `time`: how late a close may be")
	flags.DurationVar(&c.duration, "duration", 4*time.Second, "`time` for which the clients talk")
}

// check returns an error that names the first flag that is wrong, and its value.
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
		return fmt.Errorf("-idle %v: must be shorter than -duration %v, or no close would be seen", c.idle, c.duration)
	case c.tick >= c.duration-c.idle:
		return fmt.Errorf("-tick %v: must be shorter than -duration %v less -idle %v, or no close would be seen",
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
	fmt.Fprintf(stdout, "%d clients, %d of whom fall silent: idle after %v, tick %v\n\n",
		cfg.clients, cfg.clients/2, cfg.idle, cfg.tick)
	clients := startClients(cfg, servers)
	progress(stdout, servers, cfg.duration/8, clients.done)
	for _, s := range servers {
		s.close()
		ctx, cancel := context.WithTimeout(context.Background(), grace)
		left, late := s.timer.Shutdown(ctx) // what is still pending comes back: here nothing should be
		cancel()
		err = errors.Join(err, late)
		r.sides = append(r.sides, newSide(s, len(left)))
	}
	r.after = settle(r.before)
	return r, errors.Join(err, clients.err())
}

// listenAll starts a server for each way that this system has.
func listenAll(cfg config, stdout io.Writer) (servers []*server, err error) {
	ways := []struct {
		name string
		way  way
	}{{"watched", watch}, {"counted", count}}
	if !canWatch() {
		fmt.Fprintln(stdout, "No kernel here tells when data last came: all connections are counted.")
		ways = ways[1:]
	}
	for _, w := range ways {
		// The default executor runs each task in a goroutine: they close, which may block.
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
	w, err := idle.Watch(hashedwheel.MustNew(), nc, time.Hour, func() {})
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
				fmt.Fprintf(w, "   %s: %6d open %6d closed as idle", s.name, s.open.Load(), s.closed.Load())
			}
			fmt.Fprintln(w)
		}
	}
}
