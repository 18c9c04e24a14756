// Idleconn is a TCP echo server that closes connections nobody talks on.
//
// All its connections share one hashedwheel.Timer. Each has its Timeout inside
// its own struct and moves it on every read, which is one CAS and no
// allocation. When a Timeout does expire, its task sets a read deadline in the
// past; the blocked Read returns os.ErrDeadlineExceeded, and the goroutine that
// serves the connection closes it. Nobody closes a connection under its reader.
//
// Clients in the same process put it to the test over loopback: half of them
// keep talking, half fall silent. In the table at the end, look at
//
//   - "closed as idle" and "kept": who fell silent was closed, who talked was not;
//   - "timeouts moved" against the closes: nearly all of the work is moving;
//   - "lateness": never below zero, up to one tick, and what the machine adds.
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
	"os"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// grace is how long after the end of the run an idle connection may still be
// closed, before it counts as forgotten: a busy machine may be late.
const grace = 4 * time.Second

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	cfg, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	}
	if err != nil {
		return 2
	}
	r, err := serveAndWatch(cfg, stdout)
	if err == nil {
		r.print(stdout)
		err = r.verdict()
	}
	if err != nil {
		fmt.Fprintln(stderr, "idleconn:", err)
		return 1
	}
	fmt.Fprintln(stdout, "\nok: nobody was closed early, and nobody forgotten")
	return 0
}

type config struct {
	clients              int
	idle, tick, duration time.Duration
}

// parse reads the flags. It has told stderr about the error it returns.
func parse(args []string, stderr io.Writer) (config, error) {
	var c config
	flags := flag.NewFlagSet("idleconn", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.IntVar(&c.clients, "clients", 200, "`number` of clients; half of them fall silent")
	flags.DurationVar(&c.idle, "idle", time.Second, "close a connection after this `time` without a read")
	flags.DurationVar(&c.tick, "tick", 10*time.Millisecond, "the timer's tick, a `time`: how late a close may be")
	flags.DurationVar(&c.duration, "duration", 4*time.Second, "`time` for which the clients talk")
	if err := flags.Parse(args); err != nil {
		return c, err
	}
	err := c.check(flags.Args())
	if err != nil {
		fmt.Fprintln(stderr, "idleconn:", err)
	}
	return c, err
}

// check returns an error that names the first flag that is wrong, and its value.
func (c config) check(rest []string) error {
	switch {
	case len(rest) > 0:
		return fmt.Errorf("unexpected argument %q", rest[0])
	case c.clients < 2:
		return fmt.Errorf("-clients %d: must be at least 2, one to talk and one to fall silent", c.clients)
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
	return nil
}

// serveAndWatch runs the server and its clients from beginning to end.
func serveAndWatch(cfg config, stdout io.Writer) (*report, error) {
	before := runtime.NumGoroutine()

	// Inline runs the tasks on the timer's one goroutine. That is right here,
	// because SetReadDeadline neither blocks nor takes long; a task that called
	// Close or logged the event would want the default, a goroutine where it may block.
	timer, err := hashedwheel.New(
		hashedwheel.WithTick(cfg.tick),
		hashedwheel.WithExecutor(hashedwheel.Inline{}),
	)
	if err != nil {
		return nil, err
	}
	srv, err := listen(timer, cfg.idle)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stdout, "%d connections share one Timer: idle after %v, tick %v\n\n", cfg.clients, cfg.idle, cfg.tick)
	clients := startClients(cfg, srv.addr())
	watch(stdout, srv, cfg.duration/8, clients.done)
	srv.close()

	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	left, err := timer.Shutdown(ctx) // what is still pending comes back: here nothing should be
	if err == nil {
		err = clients.err()
	}
	return newReport(cfg, srv, len(left), before), err
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
			fmt.Fprintf(w, "%6.2fs %7d open %7d closed as idle %9d reads %9d timeouts moved\n",
				time.Since(start).Seconds(), srv.open.Load(), srv.closed.Load(), srv.reads.Load(), srv.moved.Load())
		}
	}
}
