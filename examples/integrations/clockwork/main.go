// Clockwork runs the same code on a fake clock and on the real one.
//
// Where a program gets its time from github.com/jonboulle/clockwork, its Timer does
// too: a clockwork.Clock is a hashedwheel.Clock as it is. Presence.go is such a
// piece of code, with one timeout a member. Its test, presence_test.go, is what to
// look at: it turns the hands of a FakeClock, and never sleeps.
//
// This program plays a scene on both clocks: a member is seen three times, a
// quarter of its ttl apart, and then no more. Look at
//
//   - "stayed" on the fake clock: exactly one and a half ttl, that is 90 minutes,
//     which take next to nothing;
//   - "stayed" on the real clock: the same, up to a tick and what the machine adds.
//
// The exit status is 1 if the member left early or never.
//
// A Timer has a goroutine that waits in Clock.After, and a test that turns the hands
// of a FakeClock has to wait for it, as for any other goroutine: see advance. Where
// the rest of the code does not need clockwork, hashedwheel.ManualClock spares a
// test that: its Advance returns when all that was due has been handed out.
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
			flags.DurationVar(&ttl, "ttl", time.Second, "`time` for which a member is here on the real clock")
		},
		Check: func() error {
			if ttl < 10*time.Millisecond || ttl > 2*time.Second {
				return fmt.Errorf("-ttl %v: must be between 10ms and 2s", ttl)
			}
			return nil
		},
		Show: func(stdout io.Writer) error { return show(ttl, stdout) },
		Held: "the member stayed while it was seen, and a ttl more",
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
