// Grpc watches the calls of a gRPC client while they are in flight.
//
// An interceptor for google.golang.org/grpc arms a timeout for each call and stops it when the call
// returns. A call without an answer within the limit is reported at that moment, while it still
// hangs. Nearly all calls return sooner, so nearly all timeouts are stopped.
//
// The server on loopback has gRPC's health service, and delays some calls. Look at
//
//   - the log: a call is reported late first, and returns after that;
//   - "calls reported late": all slow and hung calls, and others if the machine was busy;
//   - "reported after": never less than the limit, and at most a tick more plus the delay of a
//     busy machine.
//
// The exit status is 1 if a call was reported early, or a late call was not reported.
//
// Read watcher.go, which can be copied as it is.
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
		Name:  "grpc",
		Flags: c.flags,
		Check: c.check,
		Show:  c.show,
		Held:  "every late call was reported while it was in flight, and none early",
	}.Run(args, stdout, stderr)
}

// show makes the calls and prints the result.
func (c *config) show(stdout io.Writer) error {
	r, err := callAndWatch(*c, stdout)
	if err != nil {
		return err
	}
	r.print(stdout)
	return r.verdict()
}

type config struct {
	callers         int
	limit, duration time.Duration
	tick            time.Duration
}

// lateBy is the time of a slow call, deadline the most time for any call: so much more than the
// limit that a busy machine does not blur the difference.
func (c config) lateBy() time.Duration   { return 5*c.limit + 200*time.Millisecond }
func (c config) deadline() time.Duration { return 2 * c.lateBy() }

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.callers, "callers", 20, "`number` of goroutines that make calls")
	flags.DurationVar(&c.limit, "limit", 50*time.Millisecond, "report a call that is not answered within this `time`")
	flags.DurationVar(&c.tick, "tick", 5*time.Millisecond, "the timer's tick, a `time`: how late a report may be")
	flags.DurationVar(&c.duration, "duration", 2*time.Second, "`time` for which calls are made")
}

// check returns an error that names the first wrong flag, and its value.
func (c *config) check() error {
	switch {
	case c.callers <= 0:
		return fmt.Errorf("-callers %d: must be positive", c.callers)
	case c.limit < time.Millisecond || c.limit > 200*time.Millisecond:
		return fmt.Errorf("-limit %v: must be between 1ms and 200ms", c.limit)
	case c.tick < 100*time.Microsecond || c.tick > c.limit:
		return fmt.Errorf("-tick %v: must be at least 100µs, and no longer than -limit %v", c.tick, c.limit)
	case c.duration <= 0 || c.duration > 5*time.Second:
		return fmt.Errorf("-duration %v: must be positive, and 5s at most", c.duration)
	}
	return nil
}
