// Command history runs short concurrent histories of a few timeouts, and checks each against a
// sequential specification of the library's promises, with the linearizability checker porcupine.
// See README.md.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/pprof"
	"strings"
	"time"
)

// settings are the flags.
type settings struct {
	lasts    time.Duration
	seed     uint64
	kind     string
	patience time.Duration
	wide     bool
}

func main() { os.Exit(command(os.Args[1:], os.Stdout)) }

// command returns the exit code: 1 for a violation.
func command(args []string, w io.Writer) int {
	var s settings
	flags := flag.NewFlagSet("history", flag.ContinueOnError)
	flags.SetOutput(w)
	flags.DurationVar(&s.lasts, "for", 30*time.Second, "how long to go on")
	flags.Uint64Var(&s.seed, "seed", 1, "what the plans are made from; the interleavings are not")
	flags.StringVar(&s.kind, "kind", "", "only kinds with this in their name")
	flags.DurationVar(&s.patience, "patience", 10*time.Second, "how late what is due may run before it counts as lost")
	flags.BoolVar(&s.wide, "wide", false, "widen the library's windows: calls meet in their middle")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	only := chosen(s.kind)
	if len(only) == 0 {
		fmt.Fprintf(w, "no kind has %q in its name\n", s.kind)
		return 2
	}
	if s.wide {
		return runWide(w, append(args, "-wide=false")...)
	}
	return s.run(only, w)
}

func chosen(name string) (only []int) {
	for i, k := range kinds {
		if strings.Contains(k.name, name) {
			only = append(only, i)
		}
	}
	return only
}

// run makes and checks one history after another.
func (s settings) run(only []int, w io.Writer) (exitCode int) {
	sum := newSummary()
	begun := time.Now()
	for n := uint64(0); time.Since(begun) < s.lasts; n++ {
		since, kind := time.Now(), sum.next(only)
		h := s.carryOut(kind, n, w)
		if h == nil {
			return 1
		}
		v := check(h.events, h.plan.maxPending, h.faults...)
		if v.isViolation() {
			fmt.Fprintf(w, "VIOLATION in history %d of seed %d, of kind %s: "+
				"there is no order in which all of this keeps the promises\n",
				n, s.seed, kinds[kind].name)
			v.dump(w, h.plan.maxPending)
			return 1
		}
		sum.add(h, v)
		sum.spent[kind] += time.Since(since)
	}
	sum.print(w)
	return 0
}

// carryOut carries out a plan; if the plan does not end, carryOut prints the stacks and returns
// nil.
func (s settings) carryOut(kind int, n uint64, w io.Writer) *history {
	done := make(chan *history, 1)
	seed := s.seed<<32 + n
	go func() { done <- carryOut(makePlan(kind, seed), seed, s.patience) }()
	select {
	case h := <-done:
		return h
	case <-time.After(5 * s.patience):
	}
	fmt.Fprintf(w, "VIOLATION: history %d of seed %d, of kind %s, does not end\n", n, s.seed, kinds[kind].name)
	_ = pprof.Lookup("goroutine").WriteTo(w, 2)
	return nil
}
