// Ants runs the tasks of a Timer in a bounded pool, github.com/panjf2000/ants.
//
// A burst of timeouts is due at the same moment, many times more than the pool
// has workers, and each task takes a while. The same burst runs four times, with
// the executors of executors.go:
//
//   - "goroutines" has no pool: all tasks run at once, as by default;
//   - "blocking" waits in the pool's Submit, and with it waits the wheel;
//   - "queued" puts what the pool cannot take at once into a queue;
//   - "careless" has a pool that refuses when it is full, and ignores that.
//
// In the table at the end, look at
//
//   - "due", "run" and "lost": nothing is lost but by the careless one, whose
//     Shutdown then waits in vain;
//   - "at once": the pool's bound holds;
//   - "latest start": the bound has its price, whoever keeps it: the last tasks
//     start when the others are done;
//   - "stoppable": how many timeouts could still be stopped in the middle of the
//     burst. Blocking is back-pressure: what waits for the pool waits in the wheel,
//     where Stop takes it back, Pending counts it and WithMaxPending bounds it.
//     What has gone into a queue has expired;
//   - "After late": what blocking costs. A deadline of tm.After next to the burst
//     is late by as long as the wheel was held up. It needs no executor, only a
//     wheel that turns.
//
// So block, on a Timer of its own, where being late is better than piling up;
// queue where other timeouts on the wheel must not suffer.
//
// The exit status is 1 if a pool lost a task or ran too many at once, or if a task
// started early.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// grace is how much longer than it has to a burst may take: a busy machine may
// be late.
const grace = 4 * time.Second

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var c config
	return example.Program{
		Name:  "ants",
		Flags: c.flags,
		Check: c.check,
		Show:  c.show,
		Held:  "a full pool made tasks late and lost none, unless its refusal was ignored",
	}.Run(args, stdout, stderr)
}

// show runs the burst with each executor and prints what came of it.
func (c *config) show(stdout io.Writer) error {
	fmt.Fprintf(stdout, "%d tasks of %v due at once, a pool of %d workers\n\n", c.tasks, c.work, c.workers)
	results, err := runAll(*c)
	if err != nil {
		return err
	}
	printTable(stdout, results)
	return verdict(*c, results)
}

type config struct {
	tasks, workers int
	work           time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.tasks, "tasks", 400, "`number` of tasks that are due at once")
	flags.IntVar(&c.workers, "workers", 8, "`number` of workers of the pool")
	flags.DurationVar(&c.work, "work", 10*time.Millisecond, "`time` that a task takes")
}

// check returns an error that names the first flag that is wrong, and its value.
func (c *config) check() error {
	switch {
	case c.workers <= 0:
		return fmt.Errorf("-workers %d: must be positive", c.workers)
	case c.work < time.Millisecond:
		return fmt.Errorf("-work %v: must be at least 1ms, or the pool would hardly be full", c.work)
	case c.tasks < 4*c.workers:
		return fmt.Errorf("-tasks %d: must be at least 4 for each of the %d workers", c.tasks, c.workers)
	case c.takes() > 2*time.Second:
		return fmt.Errorf("-tasks %d of -work %v on -workers %d: must not take longer than 2s", c.tasks, c.work, c.workers)
	}
	return nil
}

// takes returns how long the pool needs for the burst.
func (c config) takes() time.Duration {
	return time.Duration((c.tasks+c.workers-1)/c.workers) * c.work
}
