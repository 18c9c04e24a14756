// Package centrifuge puts the timers of a github.com/centrifugal/centrifuge server's clients on a wheel.
package centrifuge

import (
	"time"

	"github.com/centrifugal/centrifuge"
	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// A Scheduler is for Config.ClientTimerScheduler. Each client has one timer, for its next ping, pong, presence or
// expiry.
//
// Callbacks may block, so the Timer needs the default executor, with which no task waits for another.
type Scheduler struct{ Timer *hashedwheel.Timer }

// ScheduleTimer implements centrifuge.TimerScheduler.
func (s Scheduler) ScheduleTimer(d time.Duration, callback func()) centrifuge.TimerCanceler {
	return canceler{wheeltime.AfterFunc(s.Timer, d, callback)}
}

type canceler struct{ timer *wheeltime.Timer }

func (c canceler) Cancel() { c.timer.Stop() }
