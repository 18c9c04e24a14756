// Rpcdeadline is an RPC client with a deadline for every call.
//
// All calls share one TCP connection to a server in the same process, which answers most calls
// at once, a few too late and a few never. The calls are from a pool, and each has a
// hashedwheel.Timeout in its struct: bound once, when the pool makes the call, and armed by
// ResetAt for every use. Nearly all timeouts are stopped within a millisecond, by the answer.
// The others expire, and a late answer is dropped. In the table, look at
//
//   - "timeouts armed" = "stopped" + "expired": each arming has one outcome, which decides
//     the call, so every call ends exactly once;
//   - "exceeded by": never below zero, at most one tick plus the delay of a busy machine;
//   - "allocations": none for the timeout of a call.
//
// The exit status is 1 if a call was lost, ended twice or failed early.
//
// Read client.go for the use of the library; server.go and wire.go hold the server and the
// protocol, load.go the callers, report.go the table.
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

// grace is how late a call may end on a busy machine before it counts as lost.
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
	callers                 int
	timeout, tick, duration time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.callers, "callers", 100, "`number` of goroutines that make one call after another")
	flags.DurationVar(&c.timeout, "timeout", 100*time.Millisecond, "`time` allowed for a call")
	flags.DurationVar(&c.tick, "tick", 5*time.Millisecond, "the timer's tick, a `time`: how late a deadline may be noticed")
	flags.DurationVar(&c.duration, "duration", 4*time.Second, "`time` for which new calls are made")
}

// check returns an error that names the first wrong flag, and its value.
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
		return fmt.Errorf("-timeout %v: must be shorter than -duration %v, or hardly any deadline would be exceeded",
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

	// Inline runs the tasks on the timer's worker. It suits call.Run, a map operation under a short
	// lock and a send that never blocks. A task that writes to the connection may block, and needs
	// the default executor.
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
	left, err := timer.Shutdown(ctx) // left is empty: all calls have ended
	return newReport(l, srv, lost, len(left), allocs), err
}

// watch prints progress until every caller is done. Long after the last deadline it gives up and
// returns the number of calls that have not ended.
func watch(w io.Writer, l *load, cfg config) (lost int) {
	start := time.Now()
	ticker := time.NewTicker(cfg.duration / 4)
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
