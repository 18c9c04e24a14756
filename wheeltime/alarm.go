package wheeltime

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// An alarm is the common part of a Timer and a Ticker: a Timeout, the channel it sends on, and
// package time's timer if the wheel has refused the Timeout.
//
// A run of the task proves nothing: it may belong to an arming that Stop or Reset has ended since.
// Each run checks under the lock whether the newest arming is due, and Stop and Reset hold the same
// lock. So no older value is sent after Stop or Reset has returned.
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

// clear is stop without the Timeout, which the caller stops or arms. An alarm is on if it has yet
// to fire, or if its value is still in the channel.
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

// armOnWheel arms the Timeout, or returns why it was refused.
func (a *alarm) armOnWheel(at time.Time) error {
	a.to.ResetAt(at)
	if err := a.to.Err(); err != nil {
		return err
	}
	a.mode = onWheel
	return nil
}

// armInTime has package time call relieve, with the number of this arming.
func (a *alarm) armInTime(d time.Duration, relieve func(arming uint32)) {
	a.arming++
	arming := a.arming
	a.mode = inTime
	a.std = time.AfterFunc(d, func() { relieve(arming) })
}

// isDueOnWheel reports whether the newest arming was on the wheel and has expired. If the run of an
// older arming sees that first, it fires the alarm, and the newest run finds the alarm off. The
// lock is held.
func (a *alarm) isDueOnWheel() bool {
	return a.mode == onWheel && a.to.State() == hashedwheel.Expired
}

// isDueInTime reports whether an arming in package time is the newest of all. The lock is held.
func (a *alarm) isDueInTime(arming uint32) bool {
	return a.mode == inTime && a.arming == arming
}

// end turns a due alarm off, sends the time if there is a channel, and reports whether it was due.
func (a *alarm) end(isDue func() bool, now time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !isDue() {
		return false
	}
	now = a.notBeforeDue(now)
	a.mode = off
	a.send(now)
	return true
}

// notBeforeDue returns now, or the deadline if that is later: now was read before the lock was
// taken, and a Reset may have run in between.
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

// readClock returns the time on the clock of tm, with the wall clock's reading of now. Timer.Now
// counts from New by the monotonic clock alone. Its wall-clock time may be wrong by hours, if the
// machine's clock was set since New, or the machine was suspended.
func readClock(tm *hashedwheel.Timer) time.Time {
	now := tm.Now()
	if !isMonotonic(now) {
		return now // the calendar of a clock that is not the system's
	}
	wall := time.Now()
	ahead := now.Sub(wall)
	if set := now.Round(0).Sub(wall.Round(0)) - ahead; set.Abs() < time.Millisecond {
		return now
	}
	return wall.Add(ahead)
}

// isMonotonic reports whether t has a reading of a monotonic clock, which Round strips.
func isMonotonic(t time.Time) bool { return t != t.Round(0) }
