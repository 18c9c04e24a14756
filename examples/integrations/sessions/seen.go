package sessions

import (
	"context"
	"errors"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// Seen is for Repository of a middleware.Deduplicator, in place of NewMapExpiringKeyRepository. It forgets a key at the
// end of the window; watermill's repository keeps the key for up to half a window longer.
type Seen struct {
	keys   *keyed.Map[string, struct{}]
	window time.Duration
}

// NewSeen returns a Seen whose keys expire by tm. A window of less than a millisecond is refused,
// as by watermill.
func NewSeen(tm *hashedwheel.Timer, window time.Duration) (Seen, error) {
	if window < time.Millisecond {
		return Seen{}, errors.New("deduplication window of less than a millisecond is impractical")
	}
	return Seen{keyed.New[string, struct{}](tm, nil, keyed.WithName("seen")), window}, nil
}

// IsDuplicate reports whether it has been called with key within the window. If the Timer is stopped or full, it
// returns the Timer's error, and the middleware fails the message with that error.
func (s Seen) IsDuplicate(_ context.Context, key string) (bool, error) {
	_, seen, err := s.keys.GetOrSet(key, struct{}{}, s.window)
	return seen, err
}

// Len returns the number of keys that have not been forgotten.
func (s Seen) Len() int { return s.keys.Len() }
