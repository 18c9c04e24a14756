// Contexts ends contexts by a hashedwheel.Timer.
//
// First it prints the properties of such a context, each after a test. Then it measures the cost
// of the context, of context.WithTimeout, and of a Timeout that its user owns: by far the
// cheapest, and without a context. Then it makes many contexts, of which callers cancel half. At
// last it ties timeouts to one context by context.AfterFunc: to cancel that context stops all of
// them. In the table, look at
//
//   - "ended by the timer" + "canceled before" = "contexts made";
//   - "ended late by": never below zero, at most one tick plus the delay of a busy machine;
//   - "timeouts left": none.
//
// The exit status is 1 if a property did not hold.
//
// Read limit.go for the context and tie.go for context.AfterFunc; claims.go holds the
// properties, price.go the measurement.
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

// grace is how late things may be on a busy machine before they count as not done.
const grace = 2 * time.Second

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var c config
	return example.Program{
		Name:  "contexts",
		Flags: c.flags,
		Check: c.check,
		Show:  func(stdout io.Writer) error { return show(c, stdout) },
		Held:  "every property held",
	}.Run(args, stdout, stderr)
}

type config struct {
	contexts    int
	limit, tick time.Duration
	benchtime   time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.contexts, "contexts", 20_000, "`number` of contexts; half of them are canceled early")
	flags.DurationVar(&c.limit, "limit", 500*time.Millisecond, "`time` until a context ends, at most 2s")
	flags.DurationVar(&c.benchtime, "benchtime", 50*time.Millisecond, "`time` for which each price is measured, five times")
	flags.DurationVar(&c.tick, "tick", 10*time.Millisecond, "the timer's tick, a `time`: how late a context may end")
}

// check returns an error that names the first wrong flag, and its value.
func (c *config) check() error {
	switch {
	case c.contexts < 2 || c.contexts > 1_000_000:
		return fmt.Errorf("-contexts %d: must be from 2 to 1000000", c.contexts)
	case c.limit <= 0 || c.limit > 2*time.Second:
		return fmt.Errorf("-limit %v: must be positive, and at most 2s", c.limit)
	case c.benchtime < time.Millisecond || c.benchtime > time.Second:
		return fmt.Errorf("-benchtime %v: must be from 1ms to 1s", c.benchtime)
	case c.tick < 100*time.Microsecond || c.tick > time.Second:
		return fmt.Errorf("-tick %v: must be from 100µs to 1s", c.tick)
	}
	return nil
}

// show tests the claims, measures the prices, and makes many contexts.
func show(cfg config, stdout io.Writer) error {
	timer, err := hashedwheel.New(hashedwheel.WithTick(cfg.tick))
	if err != nil {
		return err
	}
	defer timer.Stop()
	if err := tryAll(timer, cfg, stdout); err != nil {
		return err
	}
	if err := printPrices(timer, cfg, stdout); err != nil {
		return err
	}
	r := limitMany(timer, cfg)
	r.tied, r.stopped, r.ran = tieMany(timer, cfg)
	r.left = timer.Pending()
	r.print(stdout)
	return r.verdict()
}
