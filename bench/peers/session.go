package peers

import "time"

// sessionSize is what the struct takes that a timeout is part of.
const sessionSize = 256

// A Seater is a Timer whose timeouts can be part of a larger struct.
type Seater interface {
	// NewSession returns a new struct of sessionSize bytes with a timeout in it
	// that is due in d.
	NewSession(d time.Duration) any
}

// NewSession returns a struct with a timeout of t in it, or with a pointer to one
// where t does not permit more.
func NewSession(t Timer, d time.Duration) any {
	if s, ok := t.(Seater); ok {
		return s.NewSession(d)
	}
	return &session{timeout: t.Arm(d, nop)}
}

func nop() {}

type session struct {
	timeout Armed
	_       [sessionSize - 16]byte
}
