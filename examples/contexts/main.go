// Contexts shows how a wheel and contexts go together.
//
// It makes contexts that end by a hashedwheel.Timer, and says line by line what such
// a context does, having tried each. It prints what one costs beside
// context.WithTimeout, and beside a Timeout that its user owns: that is the cheapest
// by far, and needs no context. Then it makes very many, of which callers cancel half,
// and at last ties timeouts to one context with context.AfterFunc, so that cancelling
// it stops all of them.
//
// In the table at the end, look at
//
//   - "ended by the wheel" + "cancelled before" = "contexts made";
//   - "lateness": never below zero, up to one tick, and what the machine adds;
//   - "timeouts left": none, whichever way the contexts ended.
//
// The exit status is 1 if one of the lines did not hold.
//
// Read limit.go for the context, tie.go for context.AfterFunc; claims.go is what
// is tried, price.go what is measured.
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

// grace is how long something may take beyond its time before it counts as not
// done: a busy machine may be late.
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
		Held:  "all of it held",
	}.Run(args, stdout, stderr)
}

type config struct {
	contexts    int
	limit, tick time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.contexts, "contexts", 20_000, "`number` of contexts; half of them are cancelled before their time")
	flags.DurationVar(&c.limit, "limit", 500*time.Millisecond, "`time` that a context has, at most 2s")
	flags.DurationVar(&c.tick, "tick", 10*time.Millisecond, "the timer's tick, a `time`: how late a context may end")
}

// check returns an error that names the first flag that is wrong, and its value.
func (c *config) check() error {
	switch {
	case c.contexts < 2 || c.contexts > 1_000_000:
		return fmt.Errorf("-contexts %d: must be from 2 to 1000000", c.contexts)
	case c.limit <= 0 || c.limit > 2*time.Second:
		return fmt.Errorf("-limit %v: must be positive, and at most 2s", c.limit)
	case c.tick < 100*time.Microsecond || c.tick > time.Second:
		return fmt.Errorf("-tick %v: must be from 100µs to 1s", c.tick)
	}
	return nil
}

// show tries what is claimed, then does it many times over.
func show(cfg config, stdout io.Writer) error {
	timer, err := hashedwheel.New(hashedwheel.WithTick(cfg.tick))
	if err != nil {
		return err
	}
	defer timer.Stop()
	if err := tryAll(timer, cfg, stdout); err != nil {
		return err
	}
	printPrices(timer, cfg, stdout)
	r := limitMany(timer, cfg)
	r.tied, r.stopped, r.ran = tieMany(timer, cfg)
	r.left = timer.Pending()
	r.print(stdout)
	return r.verdict()
}
