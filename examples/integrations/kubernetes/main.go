// Kubernetes is a clock of k8s.io/utils/clock on a wheel.
//
// Kubernetes' libraries accept a clock.Clock, a clock.WithTicker or, the widest interface, a
// clock.WithTickerAndDelayedExecution. Clock.go, to be copied as it is, implements the widest on a
// wheel, so code with a clock.RealClock{} changes one line.
//
// The program runs leases.go, which uses only Kubernetes' clocks, on both: 5,000 nodes, each with
// a ticker for its heartbeat, a timer for its end, and a timer for its lease, which each beat
// moves. Every tenth node stops beating halfway. Look at
//
//   - "leases lost": 500 with both clocks;
//   - "processor time": for all heartbeats and leases.
//
// The exit status is 1 if the number of lost leases is wrong.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"k8s.io/utils/clock"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var nodes int
	var d time.Duration
	return example.Program{
		Name: "kubernetes",
		Flags: func(flags *flag.FlagSet) {
			flags.IntVar(&nodes, "nodes", 5000, "`number` of nodes")
			flags.DurationVar(&d, "for", 3*time.Second, "`time` for which the nodes beat")
		},
		Check: func() error {
			if nodes < 1 || d < time.Second {
				return errors.New("at least: -nodes 1, -for 1s")
			}
			return nil
		},
		Show: func(stdout io.Writer) error {
			tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
			defer tm.Stop()
			return errors.Join(
				show(stdout, "clock.RealClock{}", clock.RealClock{}, nodes, d),
				show(stdout, "onWheel(tm)", onWheel(tm), nodes, d),
			)
		},
		Held: "with both clocks only the silent nodes lost their leases",
	}.Run(args, stdout, stderr)
}

func show(stdout io.Writer, name string, c clock.WithTickerAndDelayedExecution, nodes int, d time.Duration) error {
	l := &leases{clock: c, duration: 2 * d / 5}
	before := timertest.CPUTime()
	l.run(nodes, d)
	fmt.Fprintf(stdout, "%-18s %d nodes, %d heartbeats, %d leases lost, %v of processor time\n", name+":", nodes,
		l.renewed.Load(), l.lost.Load(), (timertest.CPUTime() - before).Round(time.Millisecond))
	if want := int64(nodes+9) / 10; l.lost.Load() != want {
		return fmt.Errorf("%s: %d leases lost and not %d", name, l.lost.Load(), want)
	}
	return nil
}
