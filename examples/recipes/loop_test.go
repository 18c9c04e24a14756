package recipes_test

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// An event loop drives a Timer. The Timer's time passes only in Advance, which runs due tasks in the loop, so tasks
// need no lock for the loop's data. The loop waits for events until NextDue. If other goroutines arm timeouts, limit
// that wait. Arm with ResetAt, since Reset counts from the last Advance.
func Example_loop() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond),
		hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()

	pings := 0
	var ping hashedwheel.Timeout
	ping.InitFunc(tm, func() {
		if pings++; pings < 3 {
			ping.ResetAt(time.Now().Add(5 * time.Millisecond))
		}
	})
	ping.ResetAt(time.Now().Add(5 * time.Millisecond))

	events := make(chan string) // of a socket, for example
	for at, ok := tm.NextDue(); ok; at, ok = tm.NextDue() {
		select {
		case e := <-events:
			fmt.Println(e)
		case <-time.After(time.Until(at)):
		}
		clock.Advance(time.Since(clock.Now()))
	}
	fmt.Println(pings, "pings")
	// Output: 3 pings
}
