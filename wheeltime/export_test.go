package wheeltime

import "time"

// Run does the same as a run on the wheel, of the newest arming or of an older one.
func (t *Timer) Run() { (*timerTask)(t).Run(&t.trigger.to) }

// RunInTime does the same as a run in the time package, of the arming with a number from 1.
func (t *Timer) RunInTime(arming uint32) { t.fire(arming) }

// Run does the same as a run on the wheel, of the newest arming or of an older one.
func (t *Ticker) Run() { (*tickerTask)(t).Run(&t.trigger.to) }

// RunInTime does the same as a run in the time package, of the arming with a number from 1.
func (t *Ticker) RunInTime(arming uint32) { t.fire(arming) }

// Outlive does the same as Timer.StopAll once it has canceled the Timeout.
func (t *Timer) Outlive(rest time.Duration) { (*timerTask)(t).Outlive(rest) }

// Outlive does the same as Timer.StopAll once it has canceled the Timeout.
func (t *Ticker) Outlive(rest time.Duration) { (*tickerTask)(t).Outlive(rest) }
