package recipes_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A session comes from a pool. Its Timeout is bound once, and never overwritten.
type session struct {
	timeout hashedwheel.Timeout
	user    string
}

func newSessions(tm *hashedwheel.Timer, expire hashedwheel.Task) *sync.Pool {
	return &sync.Pool{New: func() any {
		s := new(session)
		s.timeout.Init(tm, expire)
		return s
	}}
}

func release(sessions *sync.Pool, s *session) {
	if !s.timeout.Stop() {
		return // its task may be running: leave the session to the collector
	}
	s.user = "" // not *s = session{}, which would overwrite the Timeout
	sessions.Put(s)
}

// A pooled struct keeps its Timeout: stop it before the struct goes back, and clear the other fields one by one.
func Example_pool() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()

	sessions := newSessions(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { fmt.Println("expired") }))
	for range 100 {
		s := sessions.Get().(*session)
		s.user = "ada"
		s.timeout.Reset(time.Minute)
		release(sessions, s)
	}
	s := sessions.Get().(*session)
	fmt.Printf("user %q\n", s.user)
	s.timeout.Reset(time.Minute)
	clock.Advance(time.Minute)
	release(sessions, s) // too late: it is not put back
	// Output:
	// user ""
	// expired
}
