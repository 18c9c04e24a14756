// Cron runs functions at the times of a crontab line.
//
// The parser of github.com/robfig/cron returns a cron.Schedule, which is a hashedwheel.Scheduler as
// it is: pass it to Timer.Recur. The program uses nothing else of that library.
//
// First it runs a weekday schedule for a week on a ManualClock, within a moment: the week in
// which Berlin sets its clocks forward. Then it runs a schedule of every second on the real
// clock. Look at
//
//   - the week: five runs, none on the weekend, each at 09:30 in Berlin, which is 08:30 UTC
//     before the change and 07:30 UTC after it;
//   - "late": never below zero, at most one tick plus the delay of a busy machine.
//
// The exit status is 1 if a run was missing or early, or if two runs had the same second.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"
	_ "time/tzdata" // Berlin, also where the system has no time zones

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
	"github.com/robfig/cron/v3"
)

// A cron.Schedule is a Scheduler as it is.
var _ hashedwheel.Scheduler = cron.Schedule(nil)

// grace is how late a run may be on a busy machine.
const grace = 5 * time.Second

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var c config
	return example.Program{
		Name:  "cron",
		Flags: c.flags,
		Check: c.check,
		Show:  c.show,
		Held:  "every run took place once, and none early",
	}.Run(args, stdout, stderr)
}

func (c *config) show(stdout io.Writer) error {
	if err := showWeek(stdout); err != nil {
		return err
	}
	return showSeconds(stdout, *c)
}

type config struct {
	runs int
	tick time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.runs, "runs", 2, "`number` of runs of the schedule of every second")
	flags.DurationVar(&c.tick, "tick", 10*time.Millisecond, "the timer's tick, a `time`: how late a run may be")
}

// check returns an error that names the first wrong flag, and its value.
func (c *config) check() error {
	switch {
	case c.runs <= 0:
		return fmt.Errorf("-runs %d: must be positive", c.runs)
	case c.tick < 100*time.Microsecond || c.tick >= time.Second:
		return fmt.Errorf("-tick %v: must be at least 100µs, and shorter than the second between two runs", c.tick)
	}
	return nil
}
