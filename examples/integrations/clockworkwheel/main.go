// Clockworkwheel is a clockwork.Clock on a wheel.
//
// Code with a clock of github.com/jonboulle/clockwork moves to a wheel by one line, where it makes
// its clock. Clock.go, to be copied as it is, adapts package wheeltime. (The program in
// ../clockwork shows the reverse: a Timer on a clockwork.Clock.)
//
// The program runs watchdog.go, which uses only clockwork, on the real clock and on a wheel:
// 10,000 members, each with a timer that is moved a hundred times and then expires. Look at
//
//   - "a move": the time of a Reset with 10,000 timers pending, clock reads included;
//   - "latest": how late the latest watchdog barked; on the wheel a tick is 10 ms.
//
// The exit status is 1 if a watchdog did not bark, or barked early.
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
	"github.com/jonboulle/clockwork"
)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var members int
	return example.Program{
		Name:  "clockworkwheel",
		Flags: func(flags *flag.FlagSet) { flags.IntVar(&members, "members", 10_000, "`number` of members") },
		Check: func() error {
			if members < 1 || members > 1_000_000 {
				return errors.New("-members must be from 1 to 1000000")
			}
			return nil
		},
		Show: func(stdout io.Writer) error {
			tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
			defer tm.Stop()
			return errors.Join(
				show(stdout, "clockwork.NewRealClock()", clockwork.NewRealClock(), members),
				show(stdout, "onWheel(tm)", onWheel(tm), members),
			)
		},
		Held: "every watchdog barked, and none early",
	}.Run(args, stdout, stderr)
}

// show sees every member a hundred times, and waits for the barks.
func show(stdout io.Writer, name string, clock clockwork.Clock, members int) error {
	const moves = 100
	w := newWatchdogs(clock, members, 2*time.Second)
	begun := time.Now()
	for range moves {
		for i := range members {
			w.see(i)
		}
	}
	took := time.Since(begun)
	example.Until(10*time.Second, func() bool { return int(w.barks.Load()) == members })
	fmt.Fprintf(stdout, "%-25s %d watchdogs, %v a move, %d barks, the latest %v late\n", name+":", members,
		took/time.Duration(moves*members), w.barks.Load(), time.Duration(w.latest.Load()).Round(10*time.Microsecond))
	if int(w.barks.Load()) < members || w.early.Load() > 0 {
		return fmt.Errorf("%s: %d of %d watchdogs barked, %d early", name, w.barks.Load(), members, w.early.Load())
	}
	return nil
}
