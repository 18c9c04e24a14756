package hashedwheel

import (
	"math"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/hook"
)

func init() {
	hook.Left = func(timeout any) time.Duration { return timeout.(*Timeout).left() }
}

// left returns how long it is until t's deadline.
func (t *Timeout) left() time.Duration {
	deadline := t.load().deadline()
	if deadline == maxDeadline {
		return math.MaxInt64
	}
	return time.Duration(deadline - t.timer.time.now())
}
