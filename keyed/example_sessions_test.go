package keyed_test

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel/keyed"
)

// A Session belongs to a user who has logged in.
type Session struct {
	User string

	mu    sync.Mutex
	Pages int
}

// Sessions end half an hour after their last request.
type Sessions struct {
	byID *keyed.Map[string, *Session]
}

const idleTime = 30 * time.Minute

var errTooMany = errors.New("too many sessions, come back later")

func (s *Sessions) Login(id, user string) error {
	if s.byID.Set(id, &Session{User: user}, idleTime) != nil {
		return errTooMany
	}
	return nil
}

// Request finds the session of a request, and moves its end. A session that Get finds might
// end the moment after.
func (s *Sessions) Request(id string) (*Session, bool) { return s.byID.Touch(id, idleTime) }

func (s *Sessions) Logout(id string) {
	if session, ok := s.byID.Delete(id); ok {
		fmt.Println(session.User, "logged out")
	}
}

// Sessions: moved at each request, ended by the user or by time.
func Example_sessions() {
	tm, clock := example()
	defer tm.Stop()
	sessions := &Sessions{keyed.New(tm, func(_ string, s *Session) {
		fmt.Printf("%s's session has ended after %d pages\n", s.User, s.Pages)
	})}

	_ = sessions.Login("c0ffee", "ada")
	_ = sessions.Login("decade", "bob")
	for range 3 {
		clock.Advance(20 * time.Minute)
		if s, ok := sessions.Request("c0ffee"); ok {
			s.mu.Lock()
			s.Pages++
			s.mu.Unlock()
		}
	}
	_, ok := sessions.Request("decade")
	fmt.Println("bob is logged in:", ok)
	sessions.Logout("c0ffee")
	// Output:
	// bob's session has ended after 0 pages
	// bob is logged in: false
	// ada logged out
}
