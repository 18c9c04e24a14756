// Prometheus exports the Stats of Timers as metrics.
//
// The collector of collector.go, for github.com/prometheus/client_golang, reads
// Stats when it is scraped, and never else: a Timer counts whether anybody looks
// or not. Two Timers, told apart by a label, are under load here, and their
// metrics are scraped over HTTP. Look at
//
//   - hashedwheel_timeouts_settled_total: nearly all of the work is cancelled, as
//     deadlines are; the difference to what was armed is pending;
//   - hashedwheel_wakeups_total: a Timer wakes up once a tick at most, whatever
//     goes through it;
//   - hashedwheel_lag_seconds: what the machine adds to the promised tick;
//   - hashedwheel_overdue_seconds: how long something has been due that did not get
//     its turn. When it is above two ticks, the machine is overloaded or an executor
//     holds the wheel up right now: a good alarm.
//
// The exit status is 1 if the last scrape does not say what was done.
//
// Read collector.go: it can be copied as it is.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
	"github.com/prometheus/client_golang/prometheus"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var c config
	return example.Program{
		Name:  "prometheus",
		Flags: c.flags,
		Check: c.check,
		Show:  func(stdout io.Writer) error { return loadAndScrape(c, stdout) },
		Held:  "the metrics say what was done",
	}.Run(args, stdout, stderr)
}

type config struct {
	timeouts int
	duration time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.timeouts, "timeouts", 1000, "`number` of timeouts that each Timer is given every 10ms")
	flags.DurationVar(&c.duration, "duration", 2*time.Second, "`time` for which the load goes on")
}

// check returns an error that names the first flag that is wrong, and its value.
func (c *config) check() error {
	switch {
	case c.timeouts < 100:
		return fmt.Errorf("-timeouts %d: must be at least 100, for one in a hundred to expire", c.timeouts)
	case c.duration < 10*time.Millisecond || c.duration > 5*time.Second:
		return fmt.Errorf("-duration %v: must be between 10ms and 5s", c.duration)
	}
	return nil
}

// loadAndScrape puts two Timers under load and shows their metrics.
func loadAndScrape(cfg config, stdout io.Writer) error {
	fast := newLoad("calls", 5*time.Millisecond)
	slow := newLoad("connections", 100*time.Millisecond)
	defer fast.timer.Stop()
	defer slow.timer.Stop()

	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(fast.collector(), slow.collector())
	e, err := listen(registry)
	if err != nil {
		return err
	}
	defer e.close()

	fmt.Fprintf(stdout, "two Timers at work for %v, scraped from %s\n", cfg.duration, e.url)
	armFor(cfg.duration/2, cfg.timeouts, fast, slow)
	if err := showPending(stdout, e); err != nil {
		return err
	}
	armFor(cfg.duration/2, cfg.timeouts, fast, slow)
	if err := errors.Join(fast.settle(), slow.settle()); err != nil {
		return err
	}
	body, err := e.scrape()
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "\nat the end, with both Timers stopped:\n\n%s", body)
	return errors.Join(fast.verdict(body), slow.verdict(body))
}

// armFor gives each load n timeouts every 10ms.
func armFor(d time.Duration, n int, loads ...*load) {
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		for _, l := range loads {
			l.arm(n)
		}
	}
}

// showPending scrapes in the middle of the work, and prints one of the metrics.
func showPending(w io.Writer, e *endpoint) error {
	body, err := e.scrape()
	if err != nil {
		return err
	}
	fmt.Fprint(w, "\nhalf-way:\n\n")
	for line := range strings.Lines(body) {
		if strings.HasPrefix(line, "hashedwheel_timeouts_pending") {
			fmt.Fprint(w, line)
		}
	}
	return nil
}
