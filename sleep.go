package hashedwheel

import "time"

// sleep returns when a tick begins, a token comes or the timer stops; it reports a token.
func (wk *worker) sleep(tick int64) (woken bool) {
	wk.slept = tick
	if alarm, begun := wk.setAlarm(tick); !begun {
		select {
		case <-alarm:
		case <-wk.quit:
		case <-wk.wake:
			woken = true
		}
		wk.wakeups.Add(1)
	}
	wk.parked.Store(awake)
	return woken
}

// setAlarm returns a channel that tells when a tick begins, or that it has begun.
func (wk *worker) setAlarm(tick int64) (alarm <-chan time.Time, begun bool) {
	now := wk.now()
	wait := time.Duration(tick*wk.tick - now)
	switch {
	case wait <= 0:
		return nil, true
	case !wk.isSystem:
		return wk.askClock(tick, now)
	case wk.alarm == nil:
		wk.alarm = time.NewTimer(wait)
	default:
		wk.alarm.Reset(wait) // it may still run: a timer nobody waits for costs nothing
	}
	wk.guarded.wanted.Store(tick * wk.tick) // the system's clock only: a user's alarm may never ring
	return wk.alarm.C, false
}

// askClock asks the user's clock for an alarm. If the clock has moved on between
// Now and After, the alarm will be late by as much: then it is asked once more. A
// clock that moves on each time is late by its own doing.
func (wk *worker) askClock(tick, now int64) (alarm <-chan time.Time, begun bool) {
	alarm = wk.clock.After(time.Duration(tick*wk.tick - now))
	before := now
	if now = wk.now(); now-before < wk.tick/8 {
		return alarm, false
	}
	if wait := time.Duration(tick*wk.tick - now); wait > 0 {
		return wk.clock.After(wait), false
	}
	return nil, true
}
