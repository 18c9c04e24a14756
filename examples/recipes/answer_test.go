package recipes_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A request is sent again until its answer is received.
type request struct {
	send func(try int)

	mu       sync.Mutex // guards tries and answered, and keeps Reset from following Stop; not held while send runs
	tries    int
	answered bool
	again    hashedwheel.Timeout
}

// Run arms the next try, and sends the request. The caller runs the first try.
func (r *request) Run(*hashedwheel.Timeout) {
	r.mu.Lock()
	if r.answered {
		r.mu.Unlock()
		return
	}
	r.tries++
	try := r.tries
	r.again.Reset(time.Second << try)
	r.mu.Unlock()
	r.send(try) // may take long: the next try does not wait for it
}

// answer ends the request, and reports whether it was the first answer.
func (r *request) answer() (first bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	first = !r.answered
	r.answered = true
	r.again.Stop() // a try that has begun finds answered set, or has sent already
	return first
}

// An answer stops the retries of its request, even if it races with the next try.
func Example_answerStopsARetry() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()

	r := &request{send: func(try int) { fmt.Println("try", try) }}
	r.again.Init(tm, r)
	r.Run(nil)
	clock.Advance(3 * time.Second)
	fmt.Println("the first answer:", r.answer())
	clock.Advance(time.Hour)
	fmt.Println("the first answer:", r.answer())
	// Output:
	// try 1
	// try 2
	// the first answer: true
	// the first answer: false
}
