package sessions

import (
	"context"
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

// NewSeen returns a Seen whose keys expire by tm.
func NewSeen(tm *hashedwheel.Timer, window time.Duration) Seen {
	return Seen{keyed.New[string, struct{}](tm, nil, keyed.WithName("seen")), window}
}

// IsDuplicate reports whether it has been called with key within the window. If the Timer is stopped or full, it
// returns the Timer's error, and the middleware fails the message with that error.
func (s Seen) IsDuplicate(_ context.Context, key string) (bool, error) {
	_, seen, err := s.keys.GetOrSet(key, struct{}{}, s.window)
	return seen, err
}
