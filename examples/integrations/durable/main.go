// Durable keeps delayed jobs in a stream, and on a Timer only for their last moments.
//
// A Timer's timeouts end with its process. Jobs that must not be lost belong in a store: here a
// JetStream stream of github.com/nats-io/nats.go, on a server that the program starts. Three
// worker processes, each with a Timer, share the jobs. A worker that receives a job
//
//   - sends it back until shortly before it is due, if that is later than the horizon: half a
//     second here, a minute in production;
//   - otherwise claims it: arms a timeout, extends the claim until the job has run, runs the job
//     when it is due, and then acknowledges it. If no worker extends a claim, it runs out, and
//     the stream hands the job to another worker.
//
// The program kills one worker that holds claimed jobs, and ends another, which gives back the
// jobs that Shutdown returns. Some jobs last longer than a claim, and one panics whenever it
// runs. In the table, look at
//
//   - "jobs lost": none. "jobs run twice" may be positive, since a worker may die between the run
//     and the acknowledgement: each job runs at least once;
//   - "jobs given up": the job that panics, after six deliveries;
//   - "late by": never below zero by the server's clock. The jobs of the killed worker are late by
//     up to the length of a claim; the others by at most a tick plus the delay of a busy machine.
//     With -schedules the program also measures the server's own schedules.
//
// The exit status is 1 if a job was lost or early, or if no job was taken over.
//
// Read README.md for the use and the limits, worker.go and job.go for the use of the library.
// clock.go follows the server's clock, stream.go holds the stream, schedules.go the comparison,
// demonstrate.go and process.go the workers' processes, journal.go and report.go the table.
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
		Show:  func(stdout io.Writer) error { return c.show(stdout, stderr) },
	}.Run(args, stdout, stderr)
}

func (c *config) show(stdout, stderr io.Writer) error {
	if c.worker != "" { // this process is a worker
		return work(*c, os.Stdin, stdout, stderr)
	}
	return demonstrate(*c, stdout, stderr)
}

type config struct {
	jobs           int
	spread         time.Duration
	horizon        time.Duration
	schedules      bool
	worker, server string
}

// claimFor is the length of a claim: how long the stream waits for an extension or the
// acknowledgement before it hands the job to another worker. A run may take longer.
func (c config) claimFor() time.Duration { return c.horizon + time.Second }

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.jobs, "jobs", 200, "`number` of jobs")
	flags.DurationVar(&c.spread, "spread", 3*time.Second, "`time` within which the jobs are due")
	flags.DurationVar(&c.horizon, "horizon", 500*time.Millisecond, "greatest `time` for which a job is on a Timer")
	flags.BoolVar(&c.schedules, "schedules", false, "measure the server's own schedules also")
	flags.StringVar(&c.worker, "worker", "", "run the worker of this `name` until the input ends")
	flags.StringVar(&c.server, "server", "", "`address` of the server, for a worker")
}

// check returns an error that names the first wrong flag, and its value.
func (c *config) check() error {
	switch {
	case c.jobs < 50:
		return fmt.Errorf("-jobs %d: must be at least 50, so that every worker has some", c.jobs)
	case c.horizon < 100*time.Millisecond || c.horizon > time.Second:
		return fmt.Errorf("-horizon %v: must be between 100ms and 1s", c.horizon)
	case c.spread < 2*c.horizon || c.spread > 4*time.Second:
		return fmt.Errorf("-spread %v: must be between 4s and twice the -horizon %v", c.spread, c.horizon)
	case (c.worker == "") != (c.server == ""):
		return fmt.Errorf("-worker %q -server %q: a worker needs both", c.worker, c.server)
	}
	return nil
}
