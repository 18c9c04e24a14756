// Gnet gives the connections of an event loop idle timeouts.
//
// A gnet server has a few event loops and no goroutine for each connection, so it cannot use read
// deadlines. Here each connection's context has a Timeout as a field, and the loop moves it at
// all traffic. Half of the clients keep talking, half fall silent. Look at
//
//   - "closed as idle" and "kept": the silent connections were closed, the others kept;
//   - "timeouts moved" and "expired": nearly all of the work is moving;
//   - "closed late by": never below zero, at most a tick plus the delay of a busy machine.
//
// The exit status is 1 if a connection was closed early or not at all.
//
// Read server.go for the use of both libraries. With -ontick an event loop drives the Timer, from
// gnet's OnTick: loop.go, to be copied with its test, fits any event loop.
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

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var c config
	return example.Program{
		Name:  "gnet",
		Flags: c.flags,
		Check: c.check,
		Show:  func(stdout io.Writer) error { return show(c, stdout) },
		Held:  "every silent connection was closed, none early",
	}.Run(args, stdout, stderr)
}

type config struct {
	clients              int
	idle, tick, duration time.Duration
	onTick               bool
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.clients, "clients", 100, "`number` of clients; half of them fall silent")
	flags.DurationVar(&c.idle, "idle", 500*time.Millisecond, "close a connection after this `time` without traffic")
	flags.DurationVar(&c.tick, "tick", 10*time.Millisecond, "the timer's tick, a `time`: how late a close may be")
	flags.BoolVar(&c.onTick, "ontick", false, "an event loop drives the timer, which has no worker then")
	flags.DurationVar(&c.duration, "duration", 2*time.Second, "`time` for which the clients talk")
}

// check returns an error that names the first wrong flag, and its value.
func (c *config) check() error {
	switch {
	case c.clients < 2:
		return fmt.Errorf("-clients %d: must be at least 2, one to talk and one to fall silent", c.clients)
	case c.idle < 10*time.Millisecond:
		return fmt.Errorf("-idle %v: must be at least 10ms, for clients that talk ten times in it", c.idle)
	case c.tick < 100*time.Microsecond:
		return fmt.Errorf("-tick %v: must be at least 100µs", c.tick)
	case c.duration < 2*c.idle || c.duration > 10*time.Second:
		return fmt.Errorf("-duration %v: must be at least twice -idle %v, and at most 10s", c.duration, c.idle)
	}
	return nil
}

// show runs the server and its clients from beginning to end.
func show(cfg config, stdout io.Writer) error {
	s, err := newServer(cfg)
	if err != nil {
		return err
	}
	addr, stop, err := s.start()
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d clients, %d of them fall silent: closed after %v without traffic, tick %v\n\n",
		cfg.clients, cfg.clients/2, cfg.idle, cfg.tick)
	err = talk(cfg, addr)
	if stopped := stop(); err == nil {
		err = stopped
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	left, late := s.timer.Shutdown(ctx)
	s.print(stdout)
	return errors.Join(err, late, s.verdict(cfg.clients, len(left)))
}

// newServer returns a server whose Timer has a worker, or with -ontick is driven by an event loop.
func newServer(cfg config) (*server, error) {
	if cfg.onTick {
		w, err := newLoopWheel(time.Now(), cfg.tick)
		return &server{timer: w.timer, loop: w, idle: cfg.idle}, err
	}
	// Inline is enough: Close of a gnet connection only queues a message for its loop.
	timer, err := hashedwheel.New(hashedwheel.WithTick(cfg.tick), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	return &server{timer: timer, idle: cfg.idle}, err
}
