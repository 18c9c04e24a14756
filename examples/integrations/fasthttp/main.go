// Fasthttp closes the idle connections of a fasthttp server.
//
// A fasthttp server sets its timeouts as deadlines for each request. Here it has none of them, and
// an idle.Listener instead: a hashedwheel.Timer closes every connection without data, also
// before a request, in the middle of one, and in a long answer that the client stops reading.
// Look at
//
//   - "kept": the client that sends requests keeps its connection;
//   - "closed": three clients, after the idle time plus at most a tick and 20 ms, the resolution
//     of the kernel's clock. The time is counted from the client's last byte. The last client's
//     idle time begins when its kernel buffers no more of the answer, about 0.2 s later.
//
// The exit status is 1 if a connection was closed early or not at all.
//
// Read server.go for the use of both libraries.
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
		Held:  "every silent connection was closed, none early",
	}.Run(args, stdout, stderr)
}

type config struct {
	idle, tick time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.DurationVar(&c.idle, "idle", 600*time.Millisecond, "close a connection after this `time` without data")
	flags.DurationVar(&c.tick, "tick", 10*time.Millisecond, "the timer's tick, a `time`: how late a close may be")
}

// check returns an error that names the first wrong flag, and its value.
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
	fmt.Fprintf(stdout, "idle time %v, tick %v; four clients:\n\n", cfg.idle, cfg.tick)
	for _, c := range clients {
		took, err := c.run(s, cfg.idle)
		if err != nil {
			return fmt.Errorf("the client that %s: %w", c.does, err)
		}
		fmt.Fprintf(stdout, "%-45s %-6s after %v%s\n", c.does, c.ends, took.Round(time.Millisecond), c.note)
	}
	return s.stop()
}
