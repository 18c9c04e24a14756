package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/child"
	"github.com/hashedwheel/hashedwheel/bench/machine"
)

// run is a run of the command.
type run struct {
	config   config
	rounds   int
	progress io.Writer
	loads    []load
	peers    []peer
	cases    *regexp.Regexp
	rows     map[key][]outcome // by case and peer; one a round
}

type key struct{ load, kase, peer string }

// outcome is what a child process has measured, or what went wrong.
type outcome struct {
	Figures []figure
	Fault   string
}

// job is one case for one peer: the work of a child process.
type job struct {
	Load, Case, Peer string
	Config           config
}

// measure runs every case of a load, all peers within each round of a case.
func (r *run) measure(ctx context.Context, l load) {
	for _, k := range r.chosen(l) {
		for range r.rounds {
			for _, p := range r.peers {
				if ctx.Err() != nil || k.oursOnly && p.name == "std" {
					continue
				}
				fmt.Fprintf(r.progress, "\r%-110s", l.name+", "+k.name+": "+p.name)
				at := key{l.name, k.name, p.name}
				r.rows[at] = append(r.rows[at], r.runCase(ctx, job{l.name, k.name, p.name, r.config}))
			}
		}
	}
	fmt.Fprintf(r.progress, "\r%-110s\r", "")
}

// chosen returns the cases of a load that the command line asks for.
func (r *run) chosen(l load) (cases []testCase) {
	for _, k := range l.cases(r.config) {
		if r.cases.MatchString(k.name) {
			cases = append(cases, k)
		}
	}
	return cases
}

func (r *run) runCase(ctx context.Context, j job) (o outcome) {
	arg, err := json.Marshal(j)
	if err != nil {
		panic(err)
	}
	limit, cancel := context.WithTimeout(ctx, r.config.Limit)
	defer cancel()
	lines, err := child.Lines(child.Self(limit, "-child", string(arg)), outcomePrefix)
	switch {
	case limit.Err() != nil:
		return outcome{Fault: "not done in " + r.config.Limit.String()}
	case err != nil:
		return outcome{Fault: err.Error()}
	}
	if err := json.Unmarshal([]byte(lines[0]), &o); err != nil {
		return outcome{Fault: err.Error()}
	}
	return o
}

// faultOfOurs returns a case that did not come to its end with this library.
func (r *run) faultOfOurs() error {
	for at, rounds := range r.rows {
		for _, o := range rounds {
			if at.peer != "std" && o.Fault != "" {
				return fmt.Errorf("%s, %s: %s", at.load, at.kase, o.Fault)
			}
		}
	}
	return nil
}

// outcomePrefix sets the outcome apart from what else a child prints.
const outcomePrefix = "outcome "

// runChild does a job and prints its outcome. It ends the process if it succeeds:
// nobody needs to wait until a crowd has gone.
func runChild(arg string) error {
	var j job
	if err := json.Unmarshal([]byte(arg), &j); err != nil {
		return err
	}
	l, _ := findLoad(j.Load)
	k, ok := l.find(j.Case, j.Config)
	p, found := findPeer(j.Peer)
	if !ok || !found {
		return fmt.Errorf("no such case: %s, %s, %s", j.Load, j.Case, j.Peer)
	}
	child.LimitMemory()
	text, err := json.Marshal(outcome{Figures: k.run(p, j.Config)})
	if err != nil {
		return err
	}
	fmt.Printf("%s%s\n", outcomePrefix, text)
	os.Exit(0)
	return nil
}

// about says what it takes to get the same figures again.
func (r *run) about(w io.Writer, command string) {
	fmt.Fprintf(w, "%s UTC, commit %s, %s %s/%s, %s, GOMAXPROCS=%d, rounds: %d.\nCommand, in bench: `%s`\n",
		time.Now().UTC().Format(time.DateTime), machine.Commit(), runtime.Version(), runtime.GOOS, runtime.GOARCH,
		machine.CPU(), runtime.GOMAXPROCS(0), r.rounds, command)
}

func (r *run) list(w io.Writer) {
	for _, l := range r.loads {
		fmt.Fprintf(w, "%s: %s\n", l.name, l.what)
		for _, k := range r.chosen(l) {
			fmt.Fprintf(w, "    %s\n", k.name)
		}
	}
}
