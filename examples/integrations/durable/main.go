// Durable keeps delayed jobs in a stream, and on the wheel only for their last
// moments.
//
// A Timer forgets everything when its process dies. Jobs that must not be forgotten
// belong in a store; here it is a JetStream stream of github.com/nats-io/nats.go,
// on a server that this program starts itself. Three workers, each a process with a
// Timer of its own, share its jobs. A worker that gets a job
//
//   - sends it back until shortly before it is due, if that is far off (the horizon,
//     half a second here, a minute in earnest);
//   - else claims it: keeps it on the wheel, runs it when it is due, and acknowledges
//     it after it ran. What is not acknowledged in time, the stream hands to another.
//
// In the middle of it one worker is killed with claimed jobs on its wheel. Another is
// told to end, and gives back what Timer.Stop returns. In the table, look at
//
//   - "jobs lost": none. "run twice" may be more than none: at least once is what is
//     promised, since a worker may die between the run and the acknowledgement;
//   - "lateness": never below zero. Jobs of the killed worker are late by up to the
//     time the stream waits for it; the others up to a tick and what the machine adds.
//
// The exit status is 1 if a job was lost or early, or if nothing was taken over.
//
// Read worker.go for the use of the library; stream.go is the stream, demonstrate.go
// and process.go start and end the workers, journal.go and report.go count.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var c config
	return example.Program{
		Name:  "durable",
		Flags: c.flags,
		Check: c.check,
		Show:  c.show,
	}.Run(args, stdout, stderr)
}

func (c *config) show(stdout io.Writer) error {
	if c.worker != "" { // a process that this program has started
		return work(*c, os.Stdin, stdout)
	}
	return demonstrate(*c, stdout)
}

type config struct {
	jobs           int
	spread         time.Duration
	horizon        time.Duration
	worker, server string
}

// claimFor is how long the stream waits for the acknowledgement of a claimed job,
// before it hands it to another: the time on the wheel, and what a run may take.
func (c config) claimFor() time.Duration { return c.horizon + time.Second }

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.jobs, "jobs", 200, "`number` of jobs")
	flags.DurationVar(&c.spread, "spread", 3*time.Second, "`time` within which they are due")
	flags.DurationVar(&c.horizon, "horizon", 500*time.Millisecond, "`time` for which a job is on the wheel at most")
	flags.StringVar(&c.worker, "worker", "", "be the worker of that `name`, until the input ends")
	flags.StringVar(&c.server, "server", "", "`address` of the server, for a worker")
}

// check returns an error that names the first flag that is wrong, and its value.
func (c *config) check() error {
	switch {
	case c.jobs < 50:
		return fmt.Errorf("-jobs %d: must be at least 50, for every worker to have some", c.jobs)
	case c.horizon < 100*time.Millisecond || c.horizon > time.Second:
		return fmt.Errorf("-horizon %v: must be between 100ms and 1s", c.horizon)
	case c.spread < 2*c.horizon || c.spread > 4*time.Second:
		return fmt.Errorf("-spread %v: must be between 4s and twice the -horizon %v", c.spread, c.horizon)
	case (c.worker == "") != (c.server == ""):
		return fmt.Errorf("-worker %q -server %q: a worker needs both", c.worker, c.server)
	}
	return nil
}
