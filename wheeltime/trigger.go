package wheeltime

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A trigger is the common part of a Timer and a Ticker: a Timeout, the channel that it sends on, and, once the wheel
// has been stopped, a timer of the time package.
//
// All fields except to are guarded by mu, and to is armed and stopped only under mu, so only Timer.StopAll of the wheel
// and the expiry change it without mu. A run may be too late, since Stop or Reset may have ended its arming: under mu
// it checks that the newest arming is the one that it runs for, and that the Timeout has Expired. Outlive checks that
// the Timeout is Canceled, which with the mode onWheel only Timer.StopAll causes. So each arming has one end, by Stop,
// Reset or a run, and no older value is sent after Stop or Reset has returned.
type trigger struct {
	to hashedwheel.Timeout

	mu     sync.Mutex     // not held while f is called
	c      chan time.Time // buffer of one; nil: a function is called. Written before first use
	std    *time.Timer    // fires in place of to
	arming uint32         // counts armings in the time package
	mode   mode
}

// mode is what fires a trigger next.
type mode uint8

const (
	off     mode = iota
	onWheel      // the Timeout; once the wheel has been stopped, nothing
	inTime       // std, or the goroutine of a function that was due when it was set
)

// A run's arming is byWheel, or, for a run in the time package, a higher number.
const byWheel = 0

// stop turns the trigger off, and reports whether it was on.
func (tr *trigger) stop() (was bool) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.stopLocked()
}

func (tr *trigger) stopLocked() (was bool) {
	if tr.mode == onWheel {
		tr.to.Stop()
	}
	return tr.clear()
}

// clear is stop without the Timeout, which the caller stops or arms. A trigger is on if it has yet to fire, or if its
// value is still in the channel.
func (tr *trigger) clear() (was bool) {
	was = tr.mode != off
	if tr.mode == inTime && tr.std != nil {
		tr.std.Stop()
	}
	tr.mode = off
	if len(tr.c) == 0 { // cheaper than an empty receive; also true if c is nil
		return was
	}
	select {
	case <-tr.c:
		return true
	default:
		return was
	}
}

// armOnWheel arms the Timeout, and reports false if the wheel has been stopped.
func (tr *trigger) armOnWheel(at time.Time) (ok bool) {
	tr.mode = onWheel
	tr.to.ResetAt(at)
	return tr.to.Err() == nil
}

// armInTime has the time package call fire, with the number of this arming.
func (tr *trigger) armInTime(d time.Duration, fire func(arming uint32)) {
	arming := tr.nextInTime()
	tr.std = time.AfterFunc(max(d, 1), func() { fire(arming) }) // 1: zero can crash the race detector, golang/go#78156
}

func (tr *trigger) nextInTime() (arming uint32) {
	tr.mode = inTime
	tr.arming = max(tr.arming+1, byWheel+1) // even when the count wraps around
	return tr.arming
}

// isDue reports whether an arming is the newest, and fires now. If the run of an older arming on the wheel first sees
// that the newest has expired, it fires the trigger, and the newest run finds the trigger off. The caller holds mu.
func (tr *trigger) isDue(arming uint32) bool {
	if arming == byWheel {
		return tr.mode == onWheel && tr.to.State() == hashedwheel.Expired
	}
	return tr.mode == inTime && tr.arming == arming
}

// isLeft reports whether Timer.StopAll has canceled the newest arming. The caller holds mu.
func (tr *trigger) isLeft() bool { return tr.mode == onWheel && tr.to.State() == hashedwheel.Canceled }

// now returns the time on the wheel's clock.
func (tr *trigger) now() time.Time { return tr.to.Timer().Now() }

// send sends now, unless the channel is full.
func (tr *trigger) send(now time.Time) {
	select {
	case tr.c <- now:
	default:
	}
}

// describe returns the state for String.
func (tr *trigger) describe() string {
	if tr.to.Timer() == nil {
		return "uninitialized"
	}
	tr.mu.Lock()
	defer tr.mu.Unlock()
	switch {
	case tr.mode == off:
		return "off"
	case tr.mode == inTime, tr.isLeft() && tr.c != nil:
		return "Pending in the time package"
	}
	return fmt.Sprintf("%v, %s", tr.to.State(), tr.to.Deadline().Format(time.DateTime+".000"))
}
