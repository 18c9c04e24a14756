package hashedwheel

import "sync/atomic"

// A follower wakes the worker on a user's clock: while a run is set, a goroutine waits for the clock's After. It is
// poked when the next run changes, and at the end of each run.
type follower struct {
	alarm *alarm
	out   *runner
	wake  func() // worker.wake
	poked chan struct{}
	isOn  atomic.Bool // the goroutine has been started and has not ended
}

func (f *follower) poke() {
	select {
	case f.poked <- struct{}{}:
	default:
	}
	if f.hasRun() && f.isOn.CompareAndSwap(false, true) {
		f.out.Enter()
		f.alarm.start(f.follow)
	}
}

func (f *follower) hasRun() bool { w := f.alarm.load(); return w != ended && w < noRun }

func (f *follower) follow() {
	gone := false
	defer func() { // the clock may end the goroutine
		if gone {
			f.out.Leave()
		} else {
			f.alarm.start(f.follow)
		}
	}()
	for f.hasRun() || f.goesOn() {
		f.await()
	}
	gone = true
}

// await waits for the time of the next run, and wakes the worker, or until it is poked.
func (f *follower) await() {
	select {
	case <-f.poked: // for the word that is read now
	default:
	}
	a, tl := f.alarm, f.alarm.time
	now := tl.clock.Now()
	if a.load()&alarmAnnounced != 0 {
		a.lower(min(tl.since(now)+int64(linger), maxDeadline-1), 0)
	}
	at := tl.at(tl.ticks.start(a.wakesAt()))
	if at.After(now) {
		c := tl.clock.After(at.Sub(now))
		if later := tl.clock.Now(); later.Sub(now) > tl.slack/8 {
			c = tl.clock.After(at.Sub(later)) // the clock has moved on between Now and After
		}
		select {
		case <-c:
		case <-f.poked:
			return
		}
	}
	a.start(f.wake)
	<-f.poked // at the end of the run
}

// goesOn ends the goroutine, unless a run was set again.
func (f *follower) goesOn() bool {
	f.isOn.Store(false)
	return f.hasRun() && f.isOn.CompareAndSwap(false, true)
}
