package recipes_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A repeater calls a function, and calls it again a fixed delay after each return.
type repeater struct {
	mu      sync.Mutex // guards stopped
	stopped bool
	next    hashedwheel.Timeout
}

func repeat(tm *hashedwheel.Timer, delay time.Duration, f func()) *repeater {
	r := &repeater{}
	r.next.InitFunc(tm, func() {
		f()
		r.mu.Lock()
		defer r.mu.Unlock()
		if !r.stopped { // if stop was called during f, do not arm again
			r.next.Reset(delay)
		}
	}).Reset(delay)
	return r
}

func (r *repeater) stop() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stopped = true
	r.next.Stop()
}

// The delay counts from the end of a run, however long the run takes. Runs of Every are due on a fixed grid.
func Example_fixedDelay() {
	tm := hashedwheel.MustNew()
	defer tm.StopAll()

	const delay = 10 * time.Millisecond
	ended, runs := time.Now(), make(chan bool)
	poll := repeat(tm, delay, func() {
		runs <- time.Since(ended) >= delay
		time.Sleep(2 * delay) // work
		ended = time.Now()
	})
	for range 3 {
		fmt.Println("10ms or more after the last run:", <-runs)
	}
	poll.stop()
	// Output:
	// 10ms or more after the last run: true
	// 10ms or more after the last run: true
	// 10ms or more after the last run: true
}
