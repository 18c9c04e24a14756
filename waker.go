package hashedwheel

import "time"

// A waker starts, at a tick, a goroutine that becomes the worker. Only the worker calls its methods.
type waker interface {
	set(at tick)     // fire at that tick; earlier settings may also fire
	forget(now tick) // settings up to now have fired
	unset()          // do not fire
}

// wakers are time.Timers that start the worker. One that is set is never moved while another is free: when a moved
// timer fires, the runtime scans all timers of its P, for milliseconds if there are a million read deadlines. New makes
// four, enough that a free one is nearly always left: one for the next far timeout, one for the linger, two to absorb
// successively earlier deadlines. No call allocates one.
type wakers struct {
	time *timeline
	all  [4]struct {
		timer *time.Timer
		tick  tick // the tick for which it is set; 0: free. forget clears it once the timer has fired
	}
}

func newWakers(tl *timeline, wake func()) *wakers {
	ws := &wakers{time: tl}
	for i := range ws.all {
		ws.all[i].timer = newTimer(wake)
	}
	return ws
}

// newTimer returns a timer that is not set. Only New calls it, since a time.Timer belongs to the bubble that made it.
func newTimer(wake func()) *time.Timer {
	t := time.AfterFunc(time.Hour, wake)
	t.Stop()
	return t
}

// set sets a free timer, or else the one that is set for the latest tick.
func (ws *wakers) set(at tick) {
	w := &ws.all[0]
	for i := range ws.all {
		other := &ws.all[i]
		if other.tick == at {
			return
		}
		if w.tick != 0 && (other.tick == 0 || other.tick > w.tick) {
			w = other
		}
	}
	w.tick = at
	w.timer.Reset(max(1, time.Duration(ws.time.ticks.start(at)-ws.time.now()))) // 1: see alarm.start
}

func (ws *wakers) forget(now tick) {
	for i := range ws.all {
		if w := &ws.all[i]; w.tick <= now {
			w.tick = 0
		}
	}
}

// unset stops the timers that are set: otherwise the runtime would keep the Timer, and everything it refers to, until
// they fire.
func (ws *wakers) unset() {
	for i := range ws.all {
		if w := &ws.all[i]; w.tick != 0 {
			w.timer.Stop()
			w.tick = 0
		}
	}
}

// A clockWaker wakes the worker on a user's clock: a goroutine waits for the clock's After.
type clockWaker struct {
	time  *timeline
	out   *runner
	woken func() // alarm.woken

	cancel chan struct{} // closed to end the goroutine; nil: there is none
	tick   tick          // the tick for which the goroutine waits
}

// set reads the clock itself, since timeline.now returns no time before New, which the clock may show. If the clock has
// moved on between Now and After, After's channel would be late by as much, and is replaced, once.
func (w *clockWaker) set(at tick) {
	if w.cancel != nil && w.tick == at {
		return
	}
	clock, until := w.time.clock, w.time.at(w.time.ticks.start(at))
	now := clock.Now()
	c := clock.After(until.Sub(now))
	if later := clock.Now(); later.Sub(now) > w.time.slack/8 {
		c = clock.After(until.Sub(later))
	}
	w.unset()
	w.cancel, w.tick = make(chan struct{}), at
	w.out.Enter()
	go w.await(c, w.cancel)
}

func (w *clockWaker) await(c <-chan time.Time, cancel <-chan struct{}) {
	select {
	case <-c:
		w.woken()
	case <-cancel:
		w.out.Leave()
	}
}

func (w *clockWaker) forget(tick) { w.unset() }

func (w *clockWaker) unset() {
	if w.cancel != nil {
		close(w.cancel)
		w.cancel = nil
	}
}
