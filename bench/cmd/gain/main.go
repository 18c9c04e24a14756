// Gain runs a load that you describe on package time and on this library, in turn, and
// says in five sentences whether to switch.
//
//	go run ./cmd/gain -pending 100000 -arm 50000/s -expire 1% -move 200000/s
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/child"
	"github.com/hashedwheel/hashedwheel/bench/loads"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

const usage = `Gain runs a load that you describe on package time and on the wheel, in turn, and
says in five sentences whether to switch. For a server with 100,000 connections,
200,000 reads a second, and 50,000 calls a second of which 1% time out:

	go run ./cmd/gain -pending 100000 -move 200000/s -arm 50000/s -expire 1%

`

func main() {
	var load loads.Mine
	rounds := flag.Int("rounds", 3, "how many `times` each is measured; one round shows no noise")
	flag.IntVar(&load.Pending, "pending", 100_000, "idle `timeouts` that are pending, as of connections")
	flag.Func("move", "`rate` at which idle timeouts are moved later, as by reads: 200000/s", rate(&load.Moves))
	flag.Func("arm", "`rate` at which deadlines are armed, as by calls: 50000/s", rate(&load.Arms))
	flag.Func("expire", "`part` of the deadlines that expires after a second: 1% (default 0%); the others are stopped after 5 ms", part(&load.Expire))
	flag.DurationVar(&load.Tick, "tick", 10*time.Millisecond, "the wheel's tick: timeouts are late by up to this `duration`")
	flag.DurationVar(&load.For, "for", 10*time.Second, "`duration` of each measurement")
	flag.Usage = func() {
		fmt.Fprint(flag.CommandLine.Output(), usage)
		flag.PrintDefaults()
	}
	flag.Parse()
	if err := start(load, *rounds); err != nil {
		fmt.Fprintln(os.Stderr, "gain:", err)
		os.Exit(1)
	}
}

// check returns an error for a load that makes no sense.
func check(load loads.Mine, rounds int) error {
	switch {
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

func start(load loads.Mine, rounds int) error {
	if name := os.Getenv(contestant); name != "" {
		return measureOne(load, name)
	}
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}
	if err := check(load, rounds); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	each := load.For + 2*time.Second // calls expire, and timeouts are armed first
	fmt.Printf("Measuring package time, the wheel and the load without timers in turn, rounds: %d. This takes about %v.\n\n",
		rounds, time.Duration(rounds*len(contestants))*each)
	var found results
	for range rounds {
		for _, name := range contestants {
			r, err := measure(ctx, name)
			if ctx.Err() != nil {
				return errors.New("interrupted")
			}
			if err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
			found.add(name, r)
		}
	}
	found.print(os.Stdout, load)
	return nil
}

var contestants = []string{std, wheel, alone}

const (
	std   = "std"
	wheel = "hashedwheel"
	alone = "nothing"
)

const (
	contestant = "HASHEDWHEEL_GAIN" // set in a child, to its contestant
	prefix     = "gain "            // begins the child's line
)

// measure runs a child with the flags of this process.
func measure(ctx context.Context, name string) (figures []loads.Figure, err error) {
	cmd := child.Self(ctx, os.Args[1:]...)
	cmd.Env = append(os.Environ(), contestant+"="+name)
	lines, err := child.Lines(cmd, prefix)
	if err != nil {
		return nil, err
	}
	return figures, json.Unmarshal([]byte(lines[0]), &figures)
}

// measureOne is the child. It ends the process with its timers pending.
func measureOne(load loads.Mine, name string) error {
	p := loads.Nothing
	if name != alone {
		found, _ := peers.Choose(name)
		p = found[0]
	}
	figures, err := load.Run(p)
	if err != nil {
		return err
	}
	text, err := json.Marshal(figures)
	if err != nil {
		return err
	}
	fmt.Printf("%s%s\n", prefix, text)
	os.Exit(0)
	return nil
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
