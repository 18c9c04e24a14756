package main

import (
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

func printTable(w io.Writer, results []*result) {
	t := tabwriter.NewWriter(w, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "executor\tdue\trun\tlost\tat once\tearliest start\tlatest start\tstoppable\tAfter late\tShutdown\t")
	for _, r := range results {
		shutdown := "done"
		if r.stillWaiting {
			shutdown = "gave up"
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%v\t%v\t%d\t%v\t%s\t\n", r.name, r.due, r.run, r.due-r.run, r.most,
			round(r.earliest), round(r.latest), r.stoppable, round(r.afterLate), shutdown)
	}
	t.Flush()
	fmt.Fprint(w, legend)
}

const legend = `
  due, run, lost    timeouts, tasks that ran, and the difference
  at once           most tasks running at the same time
  earliest, latest  start of a task after its deadline
  stoppable         timeouts pending in the middle of the burst, which Stop would cancel
  After late        how late a channel of Timer.After was closed during the burst
  Shutdown          gave up if it waited for a task that the pool had refused
`

func round(d time.Duration) time.Duration { return d.Round(100 * time.Microsecond) }

// verdict returns the promises that did not hold, or nil. It sets no limit on lateness, which
// depends on the machine.
func verdict(cfg config, results []*result) error {
	var checks example.Checks
	for _, r := range results {
		check := func(ok bool, format string, args ...any) {
			checks.That(ok, "%s: "+format, append([]any{r.name}, args...)...)
		}
		check(r.run <= r.due, "%d tasks run of %d", r.run, r.due)
		check(r.earliest >= 0, "a task started %v early", -r.earliest)
		check(r.afterLate >= 0, "a channel of After was closed %v early", -r.afterLate)
		check(!r.bounded || r.most <= cfg.workers, "%d tasks at once on %d workers", r.most, cfg.workers)
		if r.mayLose {
			check(r.run < r.due, "no task lost: the pool was never full, and nothing was shown")
			check(r.stillWaiting == (r.run < r.due), "%d tasks lost, and Shutdown did not miss them", r.due-r.run)
			continue
		}
		check(r.run == r.due, "%d tasks lost of %d", r.due-r.run, r.due)
		check(!r.stillWaiting, "Shutdown gave up")
	}
	return checks.Err()
}
