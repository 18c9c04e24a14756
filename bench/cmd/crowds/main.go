// Crowds measures what becomes of timers in crowds: producers that outnumber
// the processors, a million timeouts in one second, ten million pending. It
// prints a Markdown table for each load, with the figures of package time and
// of this library beside one another.
//
// Every case runs in a process of its own, for each peer and round, so that no
// two share a heap; peers take turns.
//
//	go run ./cmd/crowds                                  # everything, some twenty minutes
//	go run ./cmd/crowds -short                           # a minute: does it run?
//	go run ./cmd/crowds -load storm -case '^24 .*new' -for 3s
//	go run ./cmd/crowds -load sessions -n 1000000 -lead 20s -window 1s
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"time"
)

// options are the command line.
type options struct {
	loads, peers, cases string
	short, list         bool
	rounds, n           int
	length              time.Duration
	lead, window        time.Duration
	child               string
}

func main() {
	var o options
	flag.StringVar(&o.loads, "load", "", "comma-separated `names` of the loads (default all)")
	flag.StringVar(&o.peers, "peer", "std,hashedwheel", "comma-separated `names`")
	flag.StringVar(&o.cases, "case", "", "only the cases that match this `pattern`, as with go test -run")
	flag.BoolVar(&o.short, "short", false, "small sizes: to see that everything runs, not for its figures")
	flag.BoolVar(&o.list, "list", false, "list the loads and their cases")
	flag.IntVar(&o.rounds, "rounds", 1, "`rounds` of each case; the table has the median, and least and most")
	flag.IntVar(&o.n, "n", 0, "`timeouts` in place of the sizes of sessions, moved, hold and stop, goroutines in that of waiters")
	flag.DurationVar(&o.length, "for", 0, "how long a storm lasts, and the lock is asked for")
	flag.DurationVar(&o.lead, "lead", 0, "until the first is due, in sessions, moved and hold")
	flag.DurationVar(&o.window, "window", 0, "within which the sessions are due")
	flag.StringVar(&o.child, "child", "", "run one `case` and print it: used by crowds itself")
	flag.Parse()
	if err := start(o); err != nil {
		fmt.Fprintln(os.Stderr, "crowds:", err)
		os.Exit(1)
	}
}

func start(o options) error {
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if o.child != "" {
		return runChild(o.child)
	}
	r, err := newRun(o)
	if err != nil {
		return err
	}
	if o.list {
		r.list(os.Stdout)
		return nil
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	r.about(os.Stdout, "go run ./cmd/crowds "+strings.Join(os.Args[1:], " "))
	for _, l := range r.loads {
		r.measure(ctx, l)
		r.write(os.Stdout, l)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	return r.faultOfOurs()
}

// newRun looks up what the command line names.
func newRun(o options) (*run, error) {
	r := &run{config: o.config(), rounds: o.rounds, progress: os.Stderr, rows: map[key][]outcome{}}
	var err error
	if r.cases, err = regexp.Compile(o.cases); err != nil {
		return nil, err
	}
	for name := range strings.SplitSeq(o.peers, ",") {
		p, ok := findPeer(name)
		if !ok {
			return nil, fmt.Errorf("no peer %q: there are std and hashedwheel", name)
		}
		r.peers = append(r.peers, p)
	}
	if o.loads == "" {
		r.loads = allLoads()
		return r, nil
	}
	for name := range strings.SplitSeq(o.loads, ",") {
		l, ok := findLoad(name)
		if !ok {
			return nil, fmt.Errorf("no load %q; -list names them", name)
		}
		r.loads = append(r.loads, l)
	}
	return r, nil
}
