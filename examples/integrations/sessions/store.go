// Package sessions provides a store of sessions for github.com/alexedwards/scs on package keyed.
package sessions

import (
	"maps"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// A Store is for Store of an scs.SessionManager, in place of memstore.New(). A session is freed when it expires, so no
// sweep holds a lock while it visits all sessions. An scs.SessionManager with an IdleTimeout calls Commit for each
// request.
type Store struct{ sessions *keyed.Map[string, []byte] }

// NewStore returns a Store whose sessions expire by tm.
func NewStore(tm *hashedwheel.Timer) Store {
	return Store{keyed.New[string, []byte](tm, nil, keyed.WithName("sessions"))}
}

// Find returns the data of a session that has not expired.
func (s Store) Find(token string) (data []byte, found bool, err error) {
	data, found = s.sessions.Get(token)
	return data, found, nil
}

// Commit adds a session, or replaces its data and expiry. The time until expiry counts from the call, on the monotonic
// clock: setting the wall clock later changes nothing, and on Linux the time for which the machine is suspended does
// not count. (memstore compares expiry with the wall clock in each Find.) If the Timer is stopped or full, Commit
// returns the Timer's error and changes nothing.
func (s Store) Commit(token string, data []byte, expiry time.Time) error {
	return s.sessions.Set(token, data, time.Until(expiry))
}

// Delete removes a session, if there is one.
func (s Store) Delete(token string) error {
	s.sessions.Delete(token)
	return nil
}

// All returns the data of all sessions, for SessionManager.Iterate.
func (s Store) All() (map[string][]byte, error) { return maps.Collect(s.sessions.All()), nil }
