// Ants runs the tasks of a Timer in a bounded pool, github.com/panjf2000/ants.
//
// Many more timeouts are due at the same moment than the pool has workers, and each task takes a
// while. The same burst runs four times, with the executors of executors.go:
//
//   - "goroutines" has no pool: all tasks run at once, as by default;
//   - "blocking" waits in the pool's Submit, which blocks the Timer's worker;
//   - "queued" has a queue for tasks that the full pool refuses;
//   - "careless" ignores that the full pool refuses tasks.
//
// In the table, look at
//
//   - "due", "run" and "lost": only careless loses tasks, and its Shutdown waits for nothing;
//   - "at once": the pool's bound holds;
//   - "latest start": with any bound, the last tasks start when the others are done;
//   - "stoppable": the timeouts that could still be stopped in the middle of the burst. Blocking
//     is back-pressure: waiting timeouts stay pending, so Stop cancels them, Pending counts them
//     and WithMaxPending bounds them. Queued tasks have expired;
//   - "After late": the price of blocking. A channel of Timer.After is closed late, as the worker
//     was blocked.
//
// So block where late tasks are better than a long queue, on a separate Timer. Queue where the
// Timer has other timeouts that must not be late.
//
// The exit status is 1 if a pool lost a task or ran too many at once, or if a task started early.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// grace is how late a burst may end on a busy machine.
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
		Held:  "a full pool made tasks late and lost none, unless its error was ignored",
	}.Run(args, stdout, stderr)
}

// show runs the burst with each executor and prints the results.
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

// check returns an error that names the first wrong flag, and its value.
func (c *config) check() error {
	switch {
	case c.workers <= 0:
		return fmt.Errorf("-workers %d: must be positive", c.workers)
	case c.work < time.Millisecond:
		return fmt.Errorf("-work %v: must be at least 1ms, or the pool is hardly ever full", c.work)
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
