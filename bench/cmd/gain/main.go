// Gain runs a load that you describe on package time and on this library, in turn, and says what switching saves.
//
//	go run ./cmd/gain -pending 100000 -arm 50000/s -expire 1% -move 200000/s
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"golang.org/x/perf/benchfmt"

	"github.com/hashedwheel/hashedwheel/bench"
)

const usage = `Gain runs a load that you describe on package time and on this library, in turn, and says
what switching saves. For a server with 100,000 connections, 200,000 reads a second, and 50,000
calls a second of which 1% time out:

	go run ./cmd/gain -pending 100000 -move 200000/s -arm 50000/s -expire 1%

`

func main() {
	var load bench.Steady
	rounds := flag.Int("rounds", 6, "how many `times` each is measured: an interval needs 6, a difference 4")
	flag.IntVar(&load.Pending, "pending", 100_000, "idle `timeouts` that are pending, as of connections")
	flag.Func("move", "`rate` at which idle timeouts are moved later, as by reads: 200000/s", rate(&load.Moves))
	flag.Func("arm", "`rate` at which deadlines are armed, as by calls: 50000/s", rate(&load.Arms))
	flag.Func("expire", "`part` of the deadlines that expires after a second: 1% (default 0%); the others are stopped "+
		"after 5 ms", part(&load.Expire))
	flag.DurationVar(&load.Tick, "tick", time.Millisecond,
		"the wheel's tick: timeouts are late by up to this `duration`")
	flag.DurationVar(&load.For, "for", 7*time.Second, "`duration` of each measurement")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := start(os.Stdout, load, *rounds, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "gain:", err)
		os.Exit(1)
	}
}

// contestant is set in a child, to the name of its timer.
const contestant = "HASHEDWHEEL_GAIN"

// start measures, and prints what it has found. Each measurement is a process with the same flags.
func start(out io.Writer, load bench.Steady, rounds int, flags []string) error {
	if name := os.Getenv(contestant); name != "" {
		return measureHere(out, load, name)
	}
	if err := check(load, rounds); err != nil {
		return err
	}
	each := load.For*3/2 + 2*time.Second // the load without a timer; timeouts are armed first, and calls expire
	fmt.Fprintf(out, "This takes about %v.\n\n", time.Duration(rounds*len(bench.Two))*each)
	found := figures{}
	for range rounds {
		for _, k := range bench.Two {
			r, err := measure(k.Name, flags)
			if err != nil {
				return fmt.Errorf("%s: %w", k.Name, err)
			}
			found.add(k.Name, r.Values)
		}
	}
	return found.print(out, load)
}

// check returns an error for a load that makes no sense.
func check(load bench.Steady, rounds int) error {
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	case load.Arms+load.Moves == 0:
		return errors.New("nothing to measure: give a rate, like -arm 50000/s or -move 200000/s")
	case load.Pending < 0:
		return errors.New("-pending must be at least 0")
	case load.Moves > 0 && load.Pending == 0:
		return errors.New("-move needs idle timeouts: -pending must be at least 1")
	case load.Expire > 0 && load.Arms == 0:
		return errors.New("-expire is a part of the deadlines: give their rate also, like -arm 50000/s")
	case rounds < 1:
		return errors.New("-rounds must be at least 1")
	case load.For < 100*time.Millisecond:
		return errors.New("-for must be at least 100ms")
	case load.Tick < 100*time.Microsecond:
		return errors.New("-tick must be at least 100µs")
	}
	return nil
}

func measure(name string, flags []string) (*benchfmt.Result, error) {
	cmd := exec.Command(os.Args[0], flags...)
	cmd.Env = append(os.Environ(), contestant+"="+name)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	lines := benchfmt.NewReader(strings.NewReader(string(out)), name)
	for lines.Scan() {
		if r, ok := lines.Result().(*benchfmt.Result); ok {
			return r.Clone(), nil
		}
	}
	return nil, fmt.Errorf("no result: %s", out)
}

// measureHere is the child.
func measureHere(out io.Writer, load bench.Steady, name string) error {
	for _, k := range bench.Two {
		if k.Name == name {
			values, err := load.RunBeyondLoad(k)
			if err != nil {
				return err
			}
			return benchfmt.NewWriter(out).Write(&benchfmt.Result{
				Name: benchfmt.Name("Gain/timer=" + name), Iters: 1, Values: values,
			})
		}
	}
	return fmt.Errorf("no timer %q", name)
}

// rate parses rates like 50000/s.
func rate(n *int) func(string) error {
	return func(text string) (err error) {
		*n, err = strconv.Atoi(strings.ReplaceAll(strings.TrimSuffix(text, "/s"), ",", ""))
		if err != nil || *n < 0 || *n > 100_000_000 {
			return errors.New("not a rate between 0 and 100,000,000 a second, like 50000/s")
		}
		return nil
	}
}

// part parses parts like 1% or 0.01.
func part(p *float64) func(string) error {
	return func(text string) (err error) {
		number, percent := strings.CutSuffix(text, "%")
		*p, err = strconv.ParseFloat(number, 64)
		if percent {
			*p /= 100
		}
		if err != nil || !(*p >= 0 && *p <= 1) {
			return errors.New("not a part between 0% and 100%, like 1% or 0.01")
		}
		return nil
	}
}
