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
// it checks that the newest arming is the one that it runs for, and that the Timeout has Expired, or for TimerStopped
// is Canceled, which with the mode onWheel only Timer.StopAll causes. So each arming has one end, by Stop, Reset or a
// run, and no older value is sent after Stop or Reset has returned.
type trigger struct {
	to hashedwheel.Timeout

	mu     sync.Mutex     // not held while the clock or f is called
	c      chan time.Time // buffer of one; nil: a function is called. Written before first use
	std    *time.Timer    // fires in place of to
	arming uint32         // counts armings in the time package
	mode   mode
}

// mode is what fires a trigger next.
type mode uint8

const (
	off     mode = iota
	onWheel      // the Timeout; once Timer.StopAll has canceled it, TimerStopped, or for a function nothing
	inTime       // std, or the goroutine of a trigger that was due when it was set
)

// A run's arming is one of these, or, for a run in the time package, a number from firstInTime on.
const (
	byWheel = iota
	byTimerStopped
	firstInTime
)

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
	tr.to.ResetAt(at)
	if tr.to.Err() != nil {
		return false
	}
	tr.mode = onWheel
	return true
}

// armInTime has the time package call fire, with the number of this arming.
func (tr *trigger) armInTime(d time.Duration, fire func(arming uint32)) {
	arming := tr.nextInTime()
	tr.std = time.AfterFunc(d, func() { fire(arming) })
}

func (tr *trigger) nextInTime() (arming uint32) {
	tr.arming = max(tr.arming+1, firstInTime) // even when the count wraps around
	tr.mode = inTime
	return tr.arming
}

// isDue reports whether an arming is the newest, and fires now. If the run of an older arming on the wheel first sees
// that the newest has expired, it fires the trigger, and the newest run finds the trigger off. The caller holds mu.
func (tr *trigger) isDue(arming uint32) bool {
	switch arming {
	case byWheel:
		return tr.mode == onWheel && tr.to.State() == hashedwheel.Expired
	case byTimerStopped:
		return tr.isLeft()
	}
	return tr.mode == inTime && tr.arming == arming
}

// isLeft reports whether Timer.StopAll has canceled the newest arming. The caller holds mu.
func (tr *trigger) isLeft() bool { return tr.mode == onWheel && tr.to.State() == hashedwheel.Canceled }

// notBeforeDue returns now, or the deadline on the wheel if that is later: now was read before mu was locked, and a
// Reset may have run in between.
func (tr *trigger) notBeforeDue(now time.Time) time.Time {
	if tr.mode != onWheel {
		return now
	}
	if due := tr.to.Deadline(); now.Before(due) {
		return due
	}
	return now
}

// send sends now, unless there is no channel, or the channel is full.
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

// readClock returns the time on the clock of tm.
func readClock(tm *hashedwheel.Timer) time.Time { return withWall(tm.Now()) }

// withWall returns a time on the clock of a wheel, with a correct wall-clock reading. The wheel's clock counts from New
// by the monotonic clock alone: its wall-clock time may be wrong by hours if the machine's clock has been set since
// New, or the machine was suspended. A time without a monotonic reading, such as a ManualClock's, is returned
// unchanged: both differences are by the wall clock then, and equal.
func withWall(now time.Time) time.Time {
	wall := time.Now()
	ahead := now.Sub(wall)
	if set := now.Round(0).Sub(wall.Round(0)) - ahead; set.Abs() < time.Millisecond {
		return now // unchanged, since it may be a ManualClock's, which a test compares
	}
	return wall.Add(ahead)
}
