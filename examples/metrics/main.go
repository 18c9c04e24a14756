// Metrics publishes the statistics of a timer as an expvar, and watches them.
//
// A hashedwheel.Timer works under load: timeouts that are stopped in time, some
// that expire, some that are refused because too many are pending, and now and
// then a task that panics. Its Stats are a variable under /debug/vars. A series on
// a second timer reads that page over HTTP, as a collector would, prints a line
// and keeps the books.
//
// In the table at the end, look at
//
//   - "armed" = "expired" + "cancelled" + "rejected", once nothing is pending;
//   - "decreased": no counter ever does, so a collector may take differences;
//   - "latest batch": how late the wheel was at worst, which on an idle machine is
//     far below a tick;
//   - "longest overdue": how long something due was waiting for its turn when the
//     page was read. It is the number to raise an alarm on: it grows while an executor
//     blocks.
//
// The exit status is 1 if the books do not balance.
//
// Read publish.go for the variable and collect.go for the series that reads it;
// load.go is the load, report.go the books.
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

// grace is how long the rest may take once the load has ended, before it counts
// as not done: a busy machine may be late.
const grace = 4 * time.Second

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var c config
	return example.Program{
		Name:  "metrics",
		Flags: c.flags,
		Check: c.check,
		Show:  c.show,
		Held:  "the books balance",
	}.Run(args, stdout, stderr)
}

// show runs all and prints what came of it.
func (c *config) show(stdout io.Writer) error {
	r, err := workAndCollect(*c, stdout)
	if err != nil {
		return err
	}
	r.print(stdout)
	return r.verdict()
}

type config struct {
	workers                  int
	tick, interval, duration time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.workers, "workers", 4, "`number` of goroutines that arm timeouts, at most 1000")
	flags.DurationVar(&c.tick, "tick", 10*time.Millisecond, "the timer's tick, a `time`")
	flags.DurationVar(&c.interval, "interval", 500*time.Millisecond, "`time` between two looks at the page")
	flags.DurationVar(&c.duration, "duration", 3*time.Second, "`time` for which there is load, at most 5s")
}

// check returns an error that names the first flag that is wrong, and its value.
func (c *config) check() error {
	switch {
	case c.workers < 1 || c.workers > 1000:
		return fmt.Errorf("-workers %d: must be from 1 to 1000", c.workers)
	case c.tick < 100*time.Microsecond || c.tick > time.Second:
		return fmt.Errorf("-tick %v: must be from 100µs to 1s", c.tick)
	case c.duration <= 0 || c.duration > 5*time.Second:
		return fmt.Errorf("-duration %v: must be positive, and at most 5s", c.duration)
	case c.interval < time.Millisecond || c.interval > c.duration/2:
		return fmt.Errorf("-interval %v: must be from 1ms to half of -duration %v", c.interval, c.duration)
	}
	return nil
}

// workAndCollect runs the load and the collector from beginning to end.
func workAndCollect(cfg config, stdout io.Writer) (*report, error) {
	timer, err := hashedwheel.New(
		hashedwheel.WithTick(cfg.tick),
		hashedwheel.WithMaxPending(maxPending),
		hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}), // Stats counts them
	)
	if err != nil {
		return nil, err
	}
	publish("hashedwheel", timer)
	page, err := servePage()
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stdout, "%s/debug/vars shows a timer with a tick of %v and room for %d timeouts\n\n", page.url(), cfg.tick, maxPending)
	c := newCollector(page.url(), stdout)
	armed := work(timer, cfg, c)
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err = c.finish(ctx, func(s *hashedwheel.Stats) bool { return s.Pending == 0 })
	left, closing := timer.Shutdown(ctx) // what is still pending comes back: here nothing should be
	return newReport(armed, c, len(left)), errors.Join(err, closing, page.close(ctx))
}
