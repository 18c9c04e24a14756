// Inspect shows the pending timeouts of a server, live in a browser.
//
// A simulated server has three timers for eight seconds: connections with idle timeouts that
// reads move, calls that are nearly all answered before their deadline, and jobs that are due in
// minutes, in days, and every second. The first line prints the address of the page over these
// timers. With -serve the page stays up until you interrupt the program.
//
// Every two seconds the program reads the page as JSON and prints a line for each timer. On the
// page, look at
//
//   - the tasks: functions and types by their names in load.go, a function literal by its line,
//     and "idle connection", the name that a task gives itself;
//   - when they are due: connections within half a minute, calls within a second;
//   - how late tasks were handed out, and how full the timer of the calls is;
//   - "about": the page samples 200,000 connections instead of counting each.
//
// The exit status is 1 if a timer is missing on the page.
//
// Read page.go for how to mount the page, load.go for the server.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"

	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

func main() {
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	var c config
	return example.Program{
		Name:  "inspect",
		Flags: c.flags,
		Check: c.check,
		Show:  func(stdout io.Writer) error { return workAndShow(ctx, c, stdout) },
		Held:  "the page shows all three timers at work",
	}.Run(args, stdout, stderr)
}

type config struct {
	addr               string
	serve              bool
	connections        int
	duration, interval time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.StringVar(&c.addr, "addr", "127.0.0.1:0", "`address` of the page; port 0 is a free port")
	flags.BoolVar(&c.serve, "serve", false, "keep the page up until interrupted")
	flags.IntVar(&c.connections, "connections", 200_000, "`number` of connections, at most a million")
	flags.DurationVar(&c.duration, "duration", 8*time.Second, "`time` for which the server works without -serve, at most 1m")
	flags.DurationVar(&c.interval, "interval", 2*time.Second, "`time` between two lines")
}

// check returns an error that names the first wrong flag, and its value.
func (c *config) check() error {
	switch {
	case c.connections < 1 || c.connections > 1_000_000:
		return fmt.Errorf("-connections %d: must be from 1 to 1000000", c.connections)
	case c.duration <= 0 || c.duration > time.Minute:
		return fmt.Errorf("-duration %v: must be positive, and at most 1m", c.duration)
	case c.interval < time.Millisecond || c.interval > c.duration/2:
		return fmt.Errorf("-interval %v: must be from 1ms to half of -duration %v", c.interval, c.duration)
	}
	return nil
}

// workAndShow runs the server and its page from beginning to end.
func workAndShow(ctx context.Context, cfg config, stdout io.Writer) error {
	s := newServer(cfg.connections)
	defer s.stop()
	page, err := servePage(cfg.addr, s)
	if err != nil {
		return err
	}
	fmt.Fprintf(stdout, "%s/debug/timers shows the timers of a server", page.URL)
	if cfg.serve {
		fmt.Fprint(stdout, " until you interrupt this program\n\n")
	} else {
		fmt.Fprintf(stdout, " for %v; with -serve until you interrupt it\n\n", cfg.duration)
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cfg.duration)
		defer cancel()
	}
	working := make(chan struct{})
	go func() { defer close(working); s.work(ctx) }()
	r := newReader(page.URL+"/debug/timers", stdout)
	r.every(ctx, cfg.interval)
	err = r.verdict(s)
	<-working
	return errors.Join(err, page.Close())
}
