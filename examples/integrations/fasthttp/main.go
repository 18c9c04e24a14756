// Fasthttp closes the idle connections of a fasthttp server.
//
// A fasthttp server has timeouts of its own, set as deadlines for each request. Here
// they are left out, and the server is given an idle.Listener: one hashedwheel.Timer
// closes whatever connection nothing was said on, be it before a request, in the middle of
// one, or in a long answer to a client that no longer reads. Look at
//
//   - "kept": a client that sends a request now and then keeps its connection;
//   - the three that are closed, each after the idle time, never before; up to a tick and
//     20 ms later, as the kernel that is asked has a coarse clock. It is counted from the
//     last word of the client; the last of the long answer goes some 0.2 s after that.
//
// The exit status is 1 if a connection was closed early or not at all.
//
// Read server.go: it is the use of both libraries.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var c config
	return example.Program{
		Name:  "fasthttp",
		Flags: c.flags,
		Check: c.check,
		Show:  func(stdout io.Writer) error { return show(c, stdout) },
		Held:  "nobody was closed early, and nobody forgotten",
	}.Run(args, stdout, stderr)
}

type config struct {
	idle, tick time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.DurationVar(&c.idle, "idle", 600*time.Millisecond, "close a connection after this `time` without data")
	flags.DurationVar(&c.tick, "tick", 10*time.Millisecond, "the timer's tick, a `time`: how late a close may be")
}

// check returns an error that names the first flag that is wrong, and its value.
func (c *config) check() error {
	switch {
	case c.idle < 100*time.Millisecond || c.idle > 2*time.Second:
		return fmt.Errorf("-idle %v: must be from 100ms to 2s", c.idle)
	case c.tick < 100*time.Microsecond || c.tick > c.idle:
		return fmt.Errorf("-tick %v: must be from 100µs to -idle %v", c.tick, c.idle)
	}
	return nil
}

// show runs the server and its clients from beginning to end.
func show(cfg config, stdout io.Writer) error {
	timer, err := hashedwheel.New(hashedwheel.WithTick(cfg.tick))
	if err != nil {
		return err
	}
	defer timer.Stop()
	s, err := start(timer, cfg.idle)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "without data for %v a connection is closed, tick %v\n\n", cfg.idle, cfg.tick)
	for _, c := range clients {
		took, err := c.run(s, cfg.idle)
		if err != nil {
			return fmt.Errorf("the client that %s: %w", c.does, err)
		}
		fmt.Fprintf(stdout, "%-52s %-6s after %v\n", c.does, c.ends, took.Round(time.Millisecond))
	}
	return s.stop()
}
