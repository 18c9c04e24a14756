// Httpidle is an HTTP server with all its time limits on one hashedwheel.Timer.
//
// Each request has a deadline, and each connection an idle time, like Server.IdleTimeout: a
// Timeout in the connection's struct is armed by the server's ConnState hook when the connection
// falls idle and stopped by the next request, without an allocation or a call into the network
// poller.
//
// Half of the clients keep sending requests, half fall silent. Some requests are slower than
// their deadline. In the table, look at
//
//   - "closed as idle" and "kept": the silent connections were closed, the others kept;
//   - "deadlines exceeded": the slow requests, and no others;
//   - the two rows of lateness: never below zero, at most one tick plus the delay of a busy
//     machine.
//
// The exit status is 1 if a connection was closed early or not at all, or if a request got the
// wrong answer.
//
// Read conn.go and deadline.go for the use of the library; server.go holds the rest of the
// server, client.go and report.go the clients and the table.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// grace is how late things may be on a busy machine before they count as not done.
const grace = 3 * time.Second

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var c config
	return example.Program{
		Name:  "httpidle",
		Flags: c.flags,
		Check: c.check,
		Show:  c.show,
		Held:  "every silent connection was closed, none early, and only slow requests were cut short",
	}.Run(args, stdout, stderr)
}

// show serves the clients and prints the result.
func (c *config) show(stdout io.Writer) error {
	r, err := serveAndWatch(*c, stdout)
	if err != nil {
		return err
	}
	r.print(stdout)
	return r.verdict()
}

type config struct {
	clients                     int
	idle, limit, tick, duration time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.clients, "clients", 100, "`number` of clients; half of them fall silent")
	flags.DurationVar(&c.idle, "idle", time.Second, "close a connection after this `time` without a request")
	flags.DurationVar(&c.limit, "limit", 100*time.Millisecond, "`time` that a request has")
	flags.DurationVar(&c.tick, "tick", 10*time.Millisecond, "the timer's tick, a `time`: how late a limit may be kept")
	flags.DurationVar(&c.duration, "duration", 3*time.Second, "`time` for which the clients send requests, at most 5s")
}

// check returns an error that names the first wrong flag, and its value.
func (c *config) check() error {
	switch {
	case c.clients < 2:
		return fmt.Errorf("-clients %d: must be at least 2, one to send requests and one to fall silent", c.clients)
	case c.idle < 20*time.Millisecond:
		return fmt.Errorf("-idle %v: must be at least 20ms, for clients that send ten requests in it", c.idle)
	case c.limit < 10*time.Millisecond:
		return fmt.Errorf("-limit %v: must be at least 10ms, or a busy machine would exceed it", c.limit)
	case c.tick < 100*time.Microsecond || c.tick > c.limit:
		return fmt.Errorf("-tick %v: must be from 100µs to -limit %v", c.tick, c.limit)
	case c.duration <= 0 || c.duration > 5*time.Second:
		return fmt.Errorf("-duration %v: must be positive, and at most 5s", c.duration)
	case c.idle+c.tick >= c.duration:
		return fmt.Errorf("-idle %v: must be shorter than -duration %v less -tick %v, or no connection would be closed",
			c.idle, c.duration, c.tick)
	}
	return nil
}

// serveAndWatch runs the server and its clients from beginning to end.
func serveAndWatch(cfg config, stdout io.Writer) (*report, error) {
	// The tasks cancel contexts and close connections, which wakes other goroutines: the default
	// executor keeps that off the worker.
	timer, err := hashedwheel.New(hashedwheel.WithTick(cfg.tick))
	if err != nil {
		return nil, err
	}
	srv, err := listen(timer, cfg.idle, cfg.limit)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stdout, "%d clients on one timer: connections closed after %v without a request, requests limited to %v, tick %v\n\n",
		cfg.clients, cfg.idle, cfg.limit, cfg.tick)
	clients := startClients(cfg, srv.url())
	watch(stdout, srv, cfg.duration/4, clients.done)
	clients.hangUp(srv.open.Load, cfg.idle+grace)
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	closing := srv.close(ctx)
	left, err := timer.Shutdown(ctx) // left is empty: all connections have ended
	return newReport(srv, clients, len(left)), errors.Join(closing, err)
}

// watch prints a line of progress at every interval until the clients are done.
func watch(w io.Writer, srv *server, interval time.Duration, done <-chan struct{}) {
	start := time.Now()
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for {
		select {
		case <-done:
			return
		case <-ticker.C:
			idle, cut := srv.counts()
			fmt.Fprintf(w, "%6.2fs %4d open %4d closed as idle %6d requests %4d deadlines exceeded %4d timeouts pending\n",
				time.Since(start).Seconds(), srv.open.Load(), idle, srv.requests.Load(), cut, srv.timer.Pending())
		}
	}
}
