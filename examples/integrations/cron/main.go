// Cron runs functions at the times of a crontab line.
//
// The line is parsed by github.com/robfig/cron, and what its parser returns goes
// into Timer.Recur as it is: a cron.Schedule is a hashedwheel.Scheduler. Nothing
// else of that library is used; the wheel does the waiting.
//
// First a week of a weekday schedule, on a ManualClock, so in no time. It is the
// week in which Berlin sets its clocks forward. Then a schedule of every second, on
// the clock of the machine. Look at
//
//   - the week: five runs, none at the weekend, each at 09:30 in Berlin, which is
//     08:30 UTC before the change and 07:30 after it;
//   - "late": never below zero, up to one tick, and what the machine adds.
//
// The exit status is 1 if a run was missing, early or twice for the same second.
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

// grace is how much longer than it has to a run may take: a busy machine may be
// late.
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
		Held:  "every run came once, and none early",
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

// check returns an error that names the first flag that is wrong, and its value.
func (c *config) check() error {
	switch {
	case c.runs <= 0:
		return fmt.Errorf("-runs %d: must be positive", c.runs)
	case c.tick < 100*time.Microsecond || c.tick >= time.Second:
		return fmt.Errorf("-tick %v: must be at least 100µs, and shorter than the second between two runs", c.tick)
	}
	return nil
}
