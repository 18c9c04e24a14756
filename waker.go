package hashedwheel

import "time"

// A bell has a goroutine call alarm.ring at a tick. Whoever is the worker calls its methods, and nobody else.
type bell interface {
	set(at tick)     // it rings then, if it does not already
	forget(now tick) // what was to ring by now has rung
	unset()          // it does not ring
}

// bells are timers of package time's. While a free one is left, none that is set is moved to another time: when a moved
// timer rings, the runtime looks through all timers of its processor, for milliseconds where a million connections have
// deadlines. So four take turns: one for what is filed far away, one for the patience, and two for timeouts that come
// sooner and sooner. No call allocates one.
type bells struct {
	time *timeline
	all  [4]struct {
		timer *time.Timer
		tick  tick // for which it is set, until its ring has become the worker or has left rung; 0: it is free
	}
}

func newBells(tl *timeline, ring func()) *bells {
	bs := &bells{time: tl}
	for i := range bs.all {
		bs.all[i].timer = newTimer(ring)
	}
	return bs
}

// newTimer returns a timer that is not set. It is called by New alone, since package time's timers belong to a bubble.
func newTimer(ring func()) *time.Timer {
	t := time.AfterFunc(time.Hour, ring)
	t.Stop()
	return t
}

// set takes a free bell, or else the one that is set for the latest time.
func (bs *bells) set(at tick) {
	b := &bs.all[0]
	for i := range bs.all {
		other := &bs.all[i]
		if other.tick == at {
			return
		}
		if b.tick != 0 && (other.tick == 0 || other.tick > b.tick) {
			b = other
		}
	}
	b.tick = at
	b.timer.Reset(time.Duration(bs.time.ticks.start(at) - bs.time.now()))
}

func (bs *bells) forget(now tick) {
	for i := range bs.all {
		if b := &bs.all[i]; b.tick <= now {
			b.tick = 0
		}
	}
}

// unset stops the bells that are set: package time would hold the Timer, and all that it holds, until they ring.
func (bs *bells) unset() {
	for i := range bs.all {
		if b := &bs.all[i]; b.tick != 0 {
			b.timer.Stop()
			b.tick = 0
		}
	}
}

// A userBell is the bell on a user's clock: a goroutine that waits for its After.
type userBell struct {
	time *timeline
	out  *runner
	rang func()

	cancel chan struct{} // closed to end the goroutine; nil: there is none
	at     tick
}

// set reads the clock itself, which may show a time before New: timeline.now does not do here. If the clock has moved on
// between Now and After, After's channel would be late by as much, and is replaced once. A clock that moves on each time
// makes itself late.
func (w *userBell) set(at tick) {
	if w.cancel != nil && w.at == at {
		return
	}
	clock, until := w.time.clock, w.time.at(w.time.ticks.start(at))
	now := clock.Now()
	c := clock.After(until.Sub(now))
	if later := clock.Now(); later.Sub(now) > time.Duration(w.time.ticks.len/8) {
		c = clock.After(until.Sub(later))
	}
	w.unset()
	w.cancel, w.at = make(chan struct{}), at
	w.out.Enter()
	go w.await(c, w.cancel)
}

func (w *userBell) await(c <-chan time.Time, cancel <-chan struct{}) {
	select {
	case <-c:
		w.rang()
	case <-cancel:
		w.out.Leave()
	}
}

func (w *userBell) forget(tick) { w.unset() }

func (w *userBell) unset() {
	if w.cancel != nil {
		close(w.cancel)
		w.cancel = nil
	}
}
