package wheeltime

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// An alarm is the common part of a Timer and a Ticker: a Timeout, the channel it sends on, and package time's timer if
// the wheel has been stopped.
//
// A run of the task proves nothing: it may belong to an arming that Stop or Reset has ended since. Each run checks
// under the lock whether the newest arming is due, and Stop and Reset hold the same lock. So no older value is sent
// after Stop or Reset has returned.
type alarm struct {
	to hashedwheel.Timeout

	mu     sync.Mutex     // guards all below, and the armings of to; not held while the clock or f is called
	c      chan time.Time // buffer of one; nil: a function is called. Written before first use
	std    *time.Timer    // fires in place of to
	arming uint32         // counts armings in package time: a run of an older one is not due
	mode   mode
}

// mode is what fires an alarm next.
type mode uint8

const (
	off     mode = iota
	onWheel      // the Timeout; nobody, once Timer.Stop has canceled it
	inTime       // package time, or the goroutine of an alarm that was due when it was set
)

// byWheel is the arming for which the Timeout's run asks: armings in package time count from 1.
const byWheel = 0

// stop turns the alarm off, and reports whether it was on.
func (a *alarm) stop() (was bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.stopLocked()
}

func (a *alarm) stopLocked() (was bool) {
	if a.mode == onWheel {
		a.to.Stop()
	}
	return a.clear()
}

// clear is stop without the Timeout, which the caller stops or arms. An alarm is on if it has yet to fire, or if its
// value is still in the channel.
func (a *alarm) clear() (was bool) {
	was = a.mode != off
	if a.mode == inTime && a.std != nil {
		a.std.Stop()
	}
	a.mode = off
	if len(a.c) == 0 { // cheaper than an empty receive; also if c is nil
		return was
	}
	select {
	case <-a.c:
		return true
	default:
		return was
	}
}

// armOnWheel arms the Timeout, and reports false if the wheel has been stopped.
func (a *alarm) armOnWheel(at time.Time) (ok bool) {
	a.to.ResetAt(at)
	if a.to.Err() != nil {
		return false
	}
	a.mode = onWheel
	return true
}

// armInTime has package time call fire, with the number of this arming.
func (a *alarm) armInTime(d time.Duration, fire func(arming uint32)) {
	arming := a.nextInTime()
	a.std = time.AfterFunc(d, func() { fire(arming) })
}

func (a *alarm) nextInTime() (arming uint32) {
	a.arming = max(a.arming+1, byWheel+1) // also when the count begins again
	a.mode = inTime
	return a.arming
}

// isDue reports whether an arming is the newest of all, and has expired. If the run of an older arming on the wheel
// sees first that the newest has expired, it fires the alarm, and the newest run finds the alarm off. The lock is held.
func (a *alarm) isDue(arming uint32) bool {
	if arming == byWheel {
		return a.mode == onWheel && a.to.State() == hashedwheel.Expired
	}
	return a.mode == inTime && a.arming == arming
}

// notBeforeDue returns now, or the deadline on the wheel if that is later: now was read before the lock was taken, and
// a Reset may have run in between.
func (a *alarm) notBeforeDue(now time.Time) time.Time {
	if a.mode != onWheel {
		return now
	}
	if due := a.to.Deadline(); now.Before(due) {
		return due
	}
	return now
}

// send sends unless there is no channel, or the channel is full.
func (a *alarm) send(now time.Time) {
	select {
	case a.c <- now:
	default:
	}
}

// describe returns the state for String.
func (a *alarm) describe() string {
	if a.to.Timer() == nil {
		return "uninitialized"
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	switch a.mode {
	case onWheel:
		return fmt.Sprintf("%v, %s", a.to.State(), a.to.Deadline().Format(time.DateTime+".000"))
	case inTime:
		return "Pending in package time"
	}
	return "off"
}

// readClock returns the time on the clock of tm, with the wall clock's reading of now. Timer.Now counts from New by the
// monotonic clock alone: its wall-clock time may be wrong by hours, if the machine's clock was set since New, or the
// machine was suspended. A time without a monotonic reading, as of a ManualClock, is returned unchanged: both
// differences are by the wall clock then, and equal.
func readClock(tm *hashedwheel.Timer) time.Time {
	now, wall := tm.Now(), time.Now()
	ahead := now.Sub(wall)
	if set := now.Round(0).Sub(wall.Round(0)) - ahead; set.Abs() < time.Millisecond {
		return now // unchanged, since it may be a ManualClock's, which a test compares
	}
	return wall.Add(ahead)
}
