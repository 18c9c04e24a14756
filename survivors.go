package hashedwheel

import (
	"time"

	"github.com/hashedwheel/hashedwheel/internal/hook"
)

// outlive has the time package end timeouts that Timer.StopAll has canceled, and whose tasks outlive the Timer, since
// goroutines wait for their channels. A task that has been stopped or armed again in between detects that itself, under
// its own lock. The Timer's clock may be the user's, and Stop does not wait for user code: another goroutine reads it.
func outlive(tl *timeline, canceled []*Timeout) {
	if len(canceled) == 0 {
		return
	}
	end := func(t *Timeout, now int64) { t.task.(hook.Unlisted).TimerStopped(tl.at(now)) }
	if tl.manual != nil || tl.isInside() { // no time passes, or only that of a foreign bubble
		for _, t := range canceled {
			end(t, t.load().deadline())
		}
		return
	}
	time.AfterFunc(1, func() { // a delay of zero can crash the race detector in a bubble, golang/go#78156
		from, begun := tl.now(), time.Now()
		for _, t := range canceled {
			if deadline := t.load().deadline(); deadline < maxDeadline {
				time.AfterFunc(max(1, time.Duration(deadline-from)), func() {
					end(t, max(deadline, from+int64(time.Since(begun))))
				})
			}
		}
	})
}
