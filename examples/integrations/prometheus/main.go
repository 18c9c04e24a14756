// Prometheus exports the Stats of Timers as metrics.
//
// The collector for github.com/prometheus/client_golang reads Stats at each scrape. Two Timers with
// different labels work here, and their metrics are scraped over HTTP. Look at
//
//   - hashedwheel_timeouts_ended_total: nearly all timeouts are canceled, as deadlines are;
//   - hashedwheel_wakeups_total: a Timer wakes at most once in a tick, whatever its load;
//   - hashedwheel_lateness_seconds: a histogram of the lateness. Its sum is NaN, since Stats only
//     has counts: use quantiles, not the mean;
//   - hashedwheel_overdue_seconds: how long the oldest due timeout has waited for its turn. Alert
//     above two ticks: then the machine is overloaded, or an executor blocks the Timer.
//
// The exit status is 1 if the last scrape differs from the work done.
//
// Read collector.go, which can be copied as it is.
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
		Held:  "the metrics agree with the work done",
	}.Run(args, stdout, stderr)
}

type config struct {
	timeouts int
	duration time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.timeouts, "timeouts", 1000, "`number` of timeouts armed on each Timer every 10ms")
	flags.DurationVar(&c.duration, "duration", 2*time.Second, "`time` for which the Timers work")
}

// check returns an error that names the first wrong flag, and its value.
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

	fmt.Fprintf(stdout, "two Timers work for %v; scraped from %s\n", cfg.duration, e.url)
	armFor(cfg.duration/2, cfg.timeouts, fast, slow)
	if err := showPending(stdout, e); err != nil {
		return err
	}
	armFor(cfg.duration/2, cfg.timeouts, fast, slow)
	if err := errors.Join(fast.stop(), slow.stop()); err != nil {
		return err
	}
	body, err := e.scrape()
	if err != nil {
		return err
	}
	fmt.Fprint(stdout, "\nat the end, with both Timers stopped, except the buckets of the histograms:\n\n")
	printLines(stdout, body, func(line string) bool { return !strings.Contains(line, "_bucket{") })
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

// showPending scrapes in the middle of the work, and prints the pending timeouts.
func showPending(w io.Writer, e *endpoint) error {
	body, err := e.scrape()
	if err != nil {
		return err
	}
	fmt.Fprint(w, "\nhalfway:\n\n")
	printLines(w, body, func(line string) bool { return strings.HasPrefix(line, "hashedwheel_timeouts_pending") })
	return nil
}

// printLines prints the matching lines, without comments.
func printLines(w io.Writer, body string, match func(string) bool) {
	for line := range strings.Lines(body) {
		if !strings.HasPrefix(line, "#") && match(line) {
			fmt.Fprint(w, line)
		}
	}
}
