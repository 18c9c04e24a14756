package hashedwheel

import "time"

// timeline is a timer's time: ns since New, by the system's monotonic clock or a ManualClock. It is read only.
//
// A deadline is such a time. It is never rounded: a task may start once the clock shows its deadline.
type timeline struct {
	start  time.Time     // deadlines count from here
	manual *ManualClock  // nil: the system's clock
	tick   int64         // ns: as WithTick set it, the most that a task is late
	bubble chan struct{} // made in the bubble of New, and never written to; nil in none
}

// exact is the tick of a Timer in a testing/synctest bubble that is made without WithTick: there every nanosecond at
// which a timeout is due has its run of the worker, which costs a test nothing.
const exact = 1

func newTimeline(c *ManualClock, tick time.Duration) timeline {
	tl := timeline{start: time.Now(), manual: c, tick: int64(tick)}
	if c != nil {
		tl.start = c.Now()
	}
	if tick == 0 {
		tl.tick = int64(time.Millisecond)
	}
	if tl.isInBubble() {
		tl.bubble = make(chan struct{})
		if tick == 0 {
			tl.tick = exact
		}
	}
	return tl
}

// now returns the time in ns since start, less than maxDeadline.
func (tl *timeline) now() int64 {
	if tl.manual == nil {
		now := int64(time.Since(tl.start)) // which reads only the monotonic clock
		if uint64(now) < maxDeadline {
			return now
		}
	}
	return tl.slowNow()
}

// slowNow is now on a ManualClock. In another bubble it panics.
func (tl *timeline) slowNow() int64 {
	tl.checkMade()
	return min(tl.since(tl.read()), maxDeadline-1)
}

// read returns the time with both of its readings, as Timer.Now does.
func (tl *timeline) read() time.Time {
	if tl.manual != nil {
		return tl.manual.Now()
	}
	return time.Now()
}

// since returns a time in ns since start. A time before start counts as start.
func (tl *timeline) since(at time.Time) int64 {
	d := at.Sub(tl.start)
	if uint64(d) >= maxDeadline { // perhaps read from the clock of another bubble
		tl.checkBubble()
	}
	return min(max(0, int64(d)), maxDeadline)
}

// at returns a deadline as a time. It counts from now, since the wall clock may have been set after start was read.
func (tl *timeline) at(deadline int64) time.Time {
	now := tl.read()
	return now.Add(time.Duration(deadline) - now.Sub(tl.start))
}

// wholeTick returns the first time from at on at which a tick begins.
func (tl *timeline) wholeTick(at int64) int64 {
	return min((at+tl.tick-1)/tl.tick*tl.tick, maxDeadline)
}

// checkMade panics if the timer is a zero Timer.
func (tl *timeline) checkMade() {
	if tl.tick == 0 {
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
func (tl *timeline) isInside() bool { return tl.manual == nil && time.Since(tl.start) < 0 }

// checkOutside panics if the timer was made in a bubble and the caller is in none. Resetting a time.Timer would crash
// the process.
func (tl *timeline) checkOutside() {
	if tl.isInBubble() && isMonotonic(time.Now()) {
		panic("hashedwheel: Timer made in a testing/synctest bubble and used outside: make it where it is used")
	}
	select {
	case <-tl.bubble: // in another bubble this ends the process, with a message of the runtime's
	default:
	}
}

// isInBubble reports whether the timer was made in a bubble, and lives on its time.
func (tl *timeline) isInBubble() bool { return tl.manual == nil && !isMonotonic(tl.start) }

// isMonotonic reports whether a time has a monotonic reading. The results of time.Now outside a bubble have one.
func isMonotonic(t time.Time) bool { return t != t.Round(0) }
