package hashedwheel

import "time"

// A Clock shows the time and wakes the worker. The clocks of clockwork, benbjohnson/clock and Kubernetes fit as they
// are. Its methods are called concurrently. Now must not call the Timer. While timeouts are pending, a goroutine waits
// for After; Timer.StopAll ends it.
//
// A Clock must never go back: otherwise no promise holds. It may stand still, and may jump ahead: the worker's next run
// then dispatches the timeouts in between.
//
// The worker abandons channels of After, so a fake clock's count of waiters means nothing: use a ManualClock.
type Clock interface {
	Now() time.Time
	// After returns a channel on which a value arrives d from now.
	After(d time.Duration) <-chan time.Time
}

type systemClock struct{}

func (systemClock) Now() time.Time                         { return time.Now() }
func (systemClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// timeline is a timer's time, in ns since it was made and in ticks. It is read only.
type timeline struct {
	made     time.Time // by the system's clock
	start    time.Time // deadlines count from here
	clock    Clock
	isSystem bool // clock is the system's, which has a fast path
	isManual bool // clock is a ManualClock
	ticks    ticks

	slack time.Duration // as WithTick set it: the most that a task is late
}

func newTimeline(c Clock, slack time.Duration) timeline {
	_, isManual := c.(*ManualClock)
	isSystem := c == Clock(systemClock{})
	return timeline{
		made: time.Now(), start: c.Now(), clock: c, ticks: newTicks(int64(slack)), slack: slack,
		isSystem: isSystem, isManual: isManual,
	}
}

// thisTick returns the latest tick that has begun.
func (tl *timeline) thisTick() tick { return tl.ticks.at(tl.now()) }

// now returns the time in ns since start, less than maxDeadline.
func (tl *timeline) now() int64 {
	if tl.isSystem {
		now := int64(time.Since(tl.start)) // which reads only the monotonic clock
		if uint64(now) < maxDeadline {
			return now
		}
	}
	return tl.slowNow()
}

// slowNow is now on other clocks. In another bubble it panics.
func (tl *timeline) slowNow() int64 {
	tl.checkMade()
	return min(tl.since(tl.clock.Now()), maxDeadline-1)
}

// checkMade panics if the timer is a zero Timer.
func (tl *timeline) checkMade() {
	if tl.clock == nil {
		panic("hashedwheel: use of a Timer that was not made by New or MustNew")
	}
}

// checkBubble panics if the timer was not made in the caller's bubble, or, for a caller outside, in a bubble. A
// ManualClock needs no time.Timer, and works anywhere.
func (tl *timeline) checkBubble() {
	if tl.isInside() {
		panic("hashedwheel: Timer made outside a testing/synctest bubble and used inside: make it in the bubble")
	}
	tl.checkOutside()
}

// isInside reports whether the caller is in a bubble in which the timer was not made. There the clock shows a time
// before New, since a bubble begins in the year 2000; the system's monotonic clock never does.
func (tl *timeline) isInside() bool { return !tl.isManual && time.Since(tl.made) < 0 }

// checkOutside panics if the timer was made in a bubble and the caller is in none. Resetting a time.Timer would crash
// the process.
func (tl *timeline) checkOutside() {
	if now := time.Now(); !tl.isManual && tl.isInBubble() && isMonotonic(now) {
		panic("hashedwheel: Timer made in a testing/synctest bubble and used outside: make it where it is used")
	}
}

// isInBubble reports whether the timer was made in a bubble.
func (tl *timeline) isInBubble() bool { return !isMonotonic(tl.made) }

// isMonotonic reports whether a time has a monotonic reading. The results of time.Now outside a bubble have one.
func isMonotonic(t time.Time) bool { return t != t.Round(0) }

// since returns a time in ns since start. A time before start counts as start.
func (tl *timeline) since(at time.Time) int64 {
	d := at.Sub(tl.start)
	if uint64(d) >= maxDeadline { // perhaps read from the clock of another bubble
		tl.checkBubble()
	}
	return min(max(0, int64(d)), maxDeadline)
}

func (tl *timeline) at(deadline int64) time.Time { return tl.start.Add(time.Duration(deadline)) }
