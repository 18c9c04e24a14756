// Gnet gives the connections of an event loop idle timeouts.
//
// A gnet server has a few event loops and no goroutine for a connection, so a read
// deadline has nothing to interrupt. Here each connection has its own Timeout,
// embedded by value in what gnet keeps as the connection's context, and the loop moves
// it whenever there is traffic. Half of the clients keep talking, half fall silent. Look at
//
//   - "closed as idle" and "kept": who fell silent was closed, who talked was not;
//   - "timeouts moved" against "expired": moving is nearly all there is to do;
//   - "closed late by": never below zero; up to a tick, and what the machine adds.
//
// The exit status is 1 if a connection was closed early or not at all.
//
// Read server.go: it is the use of both libraries.
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
		Held:  "nobody was closed early, and nobody forgotten",
	}.Run(args, stdout, stderr)
}

type config struct {
	clients              int
	idle, tick, duration time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.clients, "clients", 100, "`number` of clients; half of them fall silent")
	flags.DurationVar(&c.idle, "idle", 500*time.Millisecond, "close a connection after this `time` without traffic")
	flags.DurationVar(&c.tick, "tick", 10*time.Millisecond, "the timer's tick, a `time`: how late a close may be")
	flags.DurationVar(&c.duration, "duration", 2*time.Second, "`time` for which the clients talk")
}

// check returns an error that names the first flag that is wrong, and its value.
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
	// Inline: to close a gnet connection is to queue that for its loop, which never blocks.
	timer, err := hashedwheel.New(hashedwheel.WithTick(cfg.tick), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	if err != nil {
		return err
	}
	s := &server{timer: timer, idle: cfg.idle}
	addr, stop, err := s.start()
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%d clients, %d of whom fall silent: idle after %v, tick %v\n\n",
		cfg.clients, cfg.clients/2, cfg.idle, cfg.tick)
	err = talk(cfg, addr)
	if stopped := stop(); err == nil {
		err = stopped
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	left, late := timer.Shutdown(ctx)
	s.print(stdout)
	return errors.Join(err, late, s.verdict(cfg.clients, len(left)))
}
