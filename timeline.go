package hashedwheel

import "time"

// timeline is a timer's time, in ns since it was made, and in ticks. All of it is read only.
type timeline struct {
	start    time.Time // deadlines count from here
	clock    Clock
	isSystem bool // clock is the system's: read it in the fastest way
	mayStep  bool // clock is the user's, and not a ManualClock
	tick     int64
}

func newTimeline(c Clock, tick time.Duration) timeline {
	_, isManual := c.(*ManualClock)
	isSystem := c == Clock(systemClock{})
	return timeline{
		start:    c.Now(),
		clock:    c,
		isSystem: isSystem,
		mayStep:  !isSystem && !isManual,
		tick:     int64(tick),
	}
}

// now returns the time in ns since start, always short of maxDeadline.
func (tl *timeline) now() int64 {
	if !tl.isSystem {
		return min(tl.since(tl.clock.Now()), maxDeadline-1)
	}
	d := int64(time.Since(tl.start)) // reads the monotonic clock alone
	if d < 0 {
		panicOutsideItsBubble()
	}
	return min(d, maxDeadline-1)
}

// The system's monotonic clock never shows a time before New, but for the clock of
// a bubble, which begins in the year 2000.
func panicOutsideItsBubble() {
	panic("hashedwheel: Timer made outside a testing/synctest bubble and used inside: make it in the bubble")
}

// deadlineIn returns the deadline d from now. Less than zero is zero, out of reach is never.
func (tl *timeline) deadlineIn(d time.Duration) int64 {
	return clamp(tl.now() + clamp(max(0, int64(d))))
}

// since returns a time in ns since start.
func (tl *timeline) since(at time.Time) int64 { return clamp(int64(at.Sub(tl.start))) }

func (tl *timeline) at(deadline int64) time.Time { return tl.start.Add(time.Duration(deadline)) }

// tickAt returns the last tick that has begun at a time.
func (tl *timeline) tickAt(now int64) int64 {
	n := now / tl.tick
	if now%tl.tick < 0 {
		n--
	}
	return n
}

func clamp(ns int64) int64 { return max(minDeadline, min(ns, maxDeadline)) }
