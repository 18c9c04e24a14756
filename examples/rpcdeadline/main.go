// Rpcdeadline is an RPC client that gives every call a deadline.
//
// It multiplexes calls over one TCP connection to a server in the same process,
// which answers most calls at once, some too late and some never. Each call has
// its hashedwheel.Timeout inside its own struct, and the calls come from a pool:
// the Timeout is bound once, when the pool makes the call, and armed again with
// ResetAt for every use. Nearly all are stopped within a millisecond, when the
// answer arrives; the others expire, and the answer is dropped if it ever comes.
//
// In the table at the end, look at
//
//   - "armed" = "stopped" + "expired": each arming has one outcome, and since
//     that outcome decides the call, no call ends twice or never;
//   - "lateness": never below zero, up to one tick, and what the machine adds;
//   - "allocations": none a call.
//
// The exit status is 1 if a call was lost, ended twice or failed early.
//
// Read client.go for the use of the library; server.go and wire.go are the other
// end and the line between, load.go is who calls, report.go is the table.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// grace is how long after its deadline a call may still end, before it counts
// as lost: a busy machine may be late.
const grace = 4 * time.Second

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var c config
	return example.Program{
		Name:  "rpcdeadline",
		Flags: c.flags,
		Check: c.check,
		Show:  c.show,
		Held:  "every call ended once, and none failed early",
	}.Run(args, stdout, stderr)
}

// show runs all and prints what came of it.
func (c *config) show(stdout io.Writer) error {
	r, err := callAndWatch(*c, stdout)
	if err != nil {
		return err
	}
	r.print(stdout)
	return r.verdict()
}

type config struct {
	callers                 int
	timeout, tick, duration time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.callers, "callers", 100, "`number` of goroutines that call, one call after another")
	flags.DurationVar(&c.timeout, "timeout", 100*time.Millisecond, "`time` that a call has")
	flags.DurationVar(&c.tick, "tick", 5*time.Millisecond, "the timer's tick, a `time`: how late a deadline may be noticed")
	flags.DurationVar(&c.duration, "duration", 4*time.Second, "`time` for which new calls are made")
}

// check returns an error that names the first flag that is wrong, and its value.
func (c *config) check() error {
	switch {
	case c.callers <= 0:
		return fmt.Errorf("-callers %d: must be positive", c.callers)
	case c.timeout <= 0:
		return fmt.Errorf("-timeout %v: must be positive", c.timeout)
	case c.tick < 100*time.Microsecond:
		return fmt.Errorf("-tick %v: must be at least 100µs", c.tick)
	case c.duration <= 0:
		return fmt.Errorf("-duration %v: must be positive", c.duration)
	case c.timeout >= c.duration:
		return fmt.Errorf("-timeout %v: must be shorter than -duration %v, or hardly a deadline would be seen",
			c.timeout, c.duration)
	case c.tick > c.timeout:
		return fmt.Errorf("-tick %v: must not be longer than -timeout %v, or late answers would be in time",
			c.tick, c.timeout)
	}
	return nil
}

// callAndWatch runs the server, the client and its callers from beginning to end.
func callAndWatch(cfg config, stdout io.Writer) (*report, error) {
	srv, err := listen(3 * cfg.timeout) // later than any deadline and a tick
	if err != nil {
		return nil, err
	}
	defer srv.close()

	// Inline runs the tasks on the timer's one goroutine. That is right here,
	// because all that call.Run does is a map operation under a short lock and a
	// send that never blocks. A task that wrote to the connection would want the
	// default, a goroutine in which it may block.
	timer, err := hashedwheel.New(
		hashedwheel.WithTick(cfg.tick),
		hashedwheel.WithExecutor(hashedwheel.Inline{}),
	)
	if err != nil {
		return nil, err
	}
	cl, err := dial(srv.addr(), timer, cfg.timeout)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stdout, "%d callers share one connection: timeout %v, tick %v\n\n", cfg.callers, cfg.timeout, cfg.tick)
	l := startLoad(cl, cfg.callers, time.Now().Add(cfg.duration))
	lost := watch(stdout, l, cfg)
	cl.close(3*cfg.timeout + grace)
	srv.close()

	allocs := cl.timeoutAllocs()
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	left, err := timer.Shutdown(ctx) // what is still pending comes back: here nothing should be
	return newReport(l, srv, lost, len(left), allocs), err
}

// watch prints progress until every caller is done. It gives up long after the
// last deadline, and returns how many calls have not ended by then.
func watch(w io.Writer, l *load, cfg config) (lost int) {
	start := time.Now()
	ticker := time.NewTicker(cfg.duration / 8)
	defer ticker.Stop()
	overdue := time.NewTimer(cfg.duration + cfg.timeout + grace)
	defer overdue.Stop()
	for {
		select {
		case <-l.done:
			return 0
		case <-overdue.C:
			t := l.sum()
			return t.started - t.ended()
		case <-ticker.C:
			t := l.sum()
			fmt.Fprintf(w, "%6.2fs %7d answered %6d exceeded %6d late answers dropped %6d timeouts pending\n",
				time.Since(start).Seconds(), t.answered, len(t.late), l.client.dropped.Load(), l.client.timer.Pending())
		}
	}
}
