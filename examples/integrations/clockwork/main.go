// Clockwork runs the same code on a fake clock and on the real one.
//
// A clockwork.Clock of github.com/jonboulle/clockwork is a hashedwheel.Clock as it is, so code that
// has one passes it to its Timer. Presence.go is such code, with a timeout for each member. Its
// test, presence_test.go, advances a FakeClock and never sleeps: read that first.
//
// The program sees a member three times, a quarter of its ttl apart, on both clocks. Look at
//
//   - "stayed" on the fake clock: exactly one and a half ttl, 90 minutes, within a moment;
//   - "stayed" on the real clock: the same, plus at most a tick and the delay of a busy machine.
//
// The exit status is 1 if the member left early or never.
//
// A Timer has a goroutine that waits in Clock.After. A test must wait for that goroutine before it
// advances a FakeClock: see advance. With hashedwheel.ManualClock it need not: Advance returns
// when all due tasks have been handed out.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
	"github.com/jonboulle/clockwork"
)

// A clockwork.Clock is a Clock as it is.
var _ hashedwheel.Clock = clockwork.Clock(nil)

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var ttl time.Duration
	return example.Program{
		Name: "clockwork",
		Flags: func(flags *flag.FlagSet) {
			flags.DurationVar(&ttl, "ttl", time.Second, "`time` for which a member stays on the real clock")
		},
		Check: func() error {
			if ttl < 10*time.Millisecond || ttl > 2*time.Second {
				return fmt.Errorf("-ttl %v: must be between 10ms and 2s", ttl)
			}
			return nil
		},
		Show: func(stdout io.Writer) error { return show(ttl, stdout) },
		Held: "the member left a ttl after it was last seen, on both clocks",
	}.Run(args, stdout, stderr)
}

func show(ttl time.Duration, stdout io.Writer) error {
	stayed, err := playFake(stdout, time.Hour)
	if err == nil && stayed != 90*time.Minute {
		err = fmt.Errorf("on the fake clock the member stayed for %v, not 1h30m", stayed)
	}
	if err == nil {
		stayed, err = playReal(stdout, ttl)
	}
	if err == nil && stayed < ttl {
		err = fmt.Errorf("on the real clock the member left after %v, before a ttl of %v was over", stayed, ttl)
	}
	return err
}
