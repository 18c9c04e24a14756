package recipes_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// tryAgain calls try until it succeeds, at most seven times, and then calls done. Random pauses keep the callers of a
// server that was down from retrying at the same time. If Schedule is refused, done gets the error.
func tryAgain(tm *hashedwheel.Timer, attempt int, try func() error, done func(error)) {
	err := try()
	if err == nil || attempt == 6 {
		done(err)
		return
	}
	backoff := 100 * time.Millisecond << attempt
	backoff += rand.N(backoff)
	again := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { tryAgain(tm, attempt+1, try, done) })
	if _, refused := tm.Schedule(backoff, again); refused != nil {
		done(errors.Join(err, refused))
	}
}

// Retries with back-off. After Timer.StopAll, run the tasks of the timeouts that it returns. Each tries once more. If
// that try fails, Schedule is refused, and done gets the error.
func Example_retry() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	tries := 0
	connect := func() error {
		if tries++; tries%3 != 0 {
			return errors.New("connection refused")
		}
		return nil
	}
	done := func(err error) { fmt.Printf("%d tries: %v\n", tries, err) }

	tryAgain(tm, 0, connect, done)
	clock.Advance(time.Minute)
	tryAgain(tm, 0, connect, done)
	for _, to := range tm.StopAll() {
		to.Task().Run(to)
	}
	// Output:
	// 3 tries: <nil>
	// 5 tries: connection refused
	// hashedwheel: timer stopped
}
