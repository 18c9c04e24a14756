// Command soak keeps timers under load and keeps their books: every arming has exactly one outcome,
// or soak prints the difference and exits with 1.
//
//	go run ./verify/soak -for 60s
//	go run ./verify/soak -for 24h -tick 10ms -pending 1000000 -executor inline
//	go run ./verify/soak -load 10000000
//
// # Soak
//
// Every executor has its own timer, one more timer has a bound that is hit, and one runs series and
// After. Producers arm deadlines and stop nearly all of them, and move the idle timeouts of many
// connections to later and to earlier. Tasks arm themselves and others again, stop others, panic, call
// runtime.Goexit, or sleep. After a few seconds all timers are stopped and others made: by Timer.Stop
// while the producers run, or by a task, or once everything has settled by itself.
//
// Each Timeout has an account, in which the deadline identifies an arming. The account fails if it
// differs from the library: if a task runs early, twice, or after Stop returned true; if a Reset or
// Stop returns a wrong result; if Timer.Stop returns a timeout that it should not, or leaves out one
// that it should. Then the sums: armings = expired + canceled + returned + rejected + superseded, kind
// by kind; Stats agrees, as exactly as its documentation has it; no goroutine is left over; the heap
// is no more than half as large again, and 4 MiB, in the last quarter of a timer's life, and of the
// run, as in the first.
//
// The lateness of tasks is printed, and not held against the timer: it depends on the load of the
// machine.
//
// An interrupt ends the current round, and then the soak as usual.
//
// # Load
//
// With -load that many timeouts are pending at once, see load.go.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"time"
)

// main exits with 0 if all books balance, 1 if they do not, and 2 if it is called
// wrongly.
func main() {
	ok, err := runCommand(os.Args[1:], os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(2)
	}
	if !ok {
		os.Exit(1)
	}
}

// runCommand is main without the exit. It reports whether all books balance.
func runCommand(args []string, out io.Writer) (ok bool, err error) {
	var c config
	var load int
	flags := flag.NewFlagSet("soak", flag.ExitOnError)
	flags.DurationVar(&c.duration, "for", time.Minute, "how long to go on")
	flags.DurationVar(&c.span, "life", 5*time.Second, "how long each timer lives")
	flags.DurationVar(&c.tick, "tick", time.Millisecond, "the timers' tick")
	flags.IntVar(&c.producers, "producers", 2, "producers a timer")
	flags.IntVar(&c.pending, "pending", 100_000, "owned timeouts, over all timers")
	flags.Uint64Var(&c.seed, "seed", 0, "seed of all dice; 0 takes one from the time")
	flags.StringVar(&c.executor, "executor", "all", "all, default, inline or waitgroup")
	flags.DurationVar(&c.patience, "patience", 20*time.Second, "how long to wait for what must come to an end")
	flags.IntVar(&load, "load", 0, "have so many timeouts pending at once, instead of a soak")
	_ = flags.Parse(args) // exits
	if c.seed == 0 {
		c.seed = uint64(time.Now().UnixNano())
	}
	if load > 0 {
		return runLoad(load, c, out)
	}
	s, err := newSoak(c)
	if err != nil {
		return false, err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	fmt.Fprintf(out, "soak for %v: a timer lives %v, tick %v, %d producers each, %s owned timeouts, seed %d\n\n",
		c.duration, s.span, c.tick, c.producers, grouped(int64(c.pending)), c.seed)
	s.run(ctx, out)
	fmt.Fprintln(out)
	s.table(out)
	return s.verdict(out), nil
}
