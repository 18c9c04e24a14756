// Metrics publishes the Stats of a Timer as an expvar.
//
// Most timeouts of the Timer are stopped in time, some expire, some are rejected because too many
// are pending, and a few tasks panic. Its Stats are a variable on the page /debug/vars. A series
// on a second Timer reads the page over HTTP, like a collector, and prints a line. In the table,
// look at
//
//   - "armed" = "expired" + "canceled" + "rejected", once nothing is pending;
//   - "decreased": no counter ever decreases, so a collector may take differences;
//   - "greatest lag": how late the latest batch of tasks was handed out;
//   - "greatest overdue": how long a due timeout had waited for its turn when the page was read.
//     It grows while an executor blocks: alert on it.
//
// The exit status is 1 if the counters do not add up.
//
// Read publish.go for the variable and collect.go for the series that reads it; load.go holds the
// load, report.go the table.
package main

import (
	"context"
	"errors"
	"expvar"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// grace is how late things may be on a busy machine before they count as not done.
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
		Held:  "every timeout was counted once, and no counter decreased",
	}.Run(args, stdout, stderr)
}

// show runs the load and prints the result.
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
	flags.DurationVar(&c.interval, "interval", 500*time.Millisecond, "`time` between two reads of the page")
	flags.DurationVar(&c.duration, "duration", 3*time.Second, "`time` for which there is load, at most 5s")
}

// check returns an error that names the first wrong flag, and its value.
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
	page, err := example.Serve("127.0.0.1:0", expvar.Handler())
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stdout, "%s/debug/vars shows the Stats of a timer: tick %v, at most %d pending\n\n", page.URL, cfg.tick, maxPending)
	c := newCollector(page.URL, stdout)
	armed := work(timer, cfg, c)
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	err = c.finish(ctx, func(s *hashedwheel.Stats) bool { return s.Pending == 0 })
	left, closing := timer.Shutdown(ctx) // left is empty: nothing is pending
	return newReport(armed, c, len(left)), errors.Join(err, closing, page.Close())
}
