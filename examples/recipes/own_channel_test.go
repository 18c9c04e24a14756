package recipes_test

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A timedLoop has a Timeout that sends to the loop's channel. Only the goroutine of the loop calls reset, stop and
// expired.
type timedLoop struct {
	timeout hashedwheel.Timeout
	fired   chan struct{} // has room for one value: Run never blocks
	armed   bool          // no expiry has been received since reset; used by the loop alone
}

func (l *timedLoop) Run(*hashedwheel.Timeout) {
	select {
	case l.fired <- struct{}{}:
	default: // a value is waiting, and serves as this one
	}
}

func (l *timedLoop) reset(d time.Duration) {
	l.armed = true
	l.timeout.Reset(d)
}

func (l *timedLoop) stop() {
	l.armed = false
	l.timeout.Stop()
}

// expired reports whether a value received from fired stands for the last reset. Otherwise it is stale: the Timeout had
// expired when the loop called reset or stop.
func (l *timedLoop) expired() bool {
	if !l.armed || l.timeout.State() != hashedwheel.Expired {
		return false
	}
	l.armed = false
	return true
}

// With a channel of your own, the value of an earlier arming stays in the channel after Reset, or is sent only then.
// The Timer of package wheeltime has no stale values, and needs no check: use it unless the channel has to be yours.
func Example_ownChannel() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))

	l := &timedLoop{fired: make(chan struct{}, 1)}
	l.timeout.Init(tm, l)
	receive := func() {
		select {
		case <-l.fired:
			fmt.Println("received, expired:", l.expired())
		default:
			fmt.Println("nothing")
		}
	}
	l.reset(time.Second)
	clock.Advance(time.Second) // the loop is busy, and receives nothing yet
	l.reset(time.Second)
	receive()
	clock.Advance(time.Second)
	receive()

	l.reset(time.Second)
	clock.Advance(time.Second)
	l.reset(time.Second)
	clock.Advance(time.Second) // the value that waits now serves for both
	receive()
	receive()

	l.reset(time.Second)
	clock.Advance(time.Second)
	l.stop()
	receive()
	// Output:
	// received, expired: false
	// received, expired: true
	// received, expired: true
	// nothing
	// received, expired: false
}
