package main

import (
	"time"

	"github.com/centrifugal/centrifuge"
	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// scheduler puts the timers of a centrifuge.Node's clients on a wheel. A client has one timer, for
// the next of its pings, pongs, presence and expiry.
//
// The callbacks may block, so the Timer keeps its default executor, under which no task waits for
// another. If the Timer is stopped or full, wheeltime falls back to package time.
type scheduler struct{ tm *hashedwheel.Timer }

// ScheduleTimer implements centrifuge.TimerScheduler.
func (s scheduler) ScheduleTimer(d time.Duration, callback func()) centrifuge.TimerCanceler {
	return canceler{wheeltime.AfterFunc(s.tm, d, callback)}
}

type canceler struct{ timer *wheeltime.Timer }

func (c canceler) Cancel() { c.timer.Stop() }
