// Inspect shows what is pending on the timers of a server, live in a browser.
//
// A made-up server works for eight seconds: connections with idle timeouts that every
// read moves, calls of which nearly all are answered before their deadline, and jobs
// that are due in minutes, in days, and every second. The page over its three timers
// is at the address that is printed first. With -serve it stays up until you
// interrupt it: open it in a browser and watch.
//
// The same figures are read as JSON every two seconds, as a program would, and
// printed. Look at
//
//   - what is pending: functions and types, as they are called in load.go;
//   - when it is due: the connections half a minute from now, the calls in a second;
//   - "about": 200,000 connections are not counted one by one, but sampled.
//
// The exit status is 1 if the page or its figures are not there.
//
// Read page.go for how it is mounted, load.go for the server.
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
	flags.StringVar(&c.addr, "addr", "127.0.0.1:0", "`address` of the page; port 0 is one that is free")
	flags.BoolVar(&c.serve, "serve", false, "keep the page up until interrupted")
	flags.IntVar(&c.connections, "connections", 200_000, "`number` of connections, at most a million")
	flags.DurationVar(&c.duration, "duration", 8*time.Second, "`time` for which the server works without -serve, at most 1m")
	flags.DurationVar(&c.interval, "interval", 2*time.Second, "`time` between two lines")
}

// check returns an error that names the first flag that is wrong, and its value.
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
	fmt.Fprintf(stdout, "%s shows the timers of a server\n\n", page.url())
	if !cfg.serve {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, cfg.duration)
		defer cancel()
	}
	working := make(chan struct{})
	go func() { defer close(working); s.work(ctx) }()
	r := newReader(page.url(), stdout)
	r.every(ctx, cfg.interval)
	err = r.verdict(s)
	<-working
	return errors.Join(err, page.close())
}
