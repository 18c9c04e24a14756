package wheeltime

// Run does the same as a run on the wheel, of the newest arming or of an older one.
func (t *Timer) Run() { (*timerTask)(t).Run(&t.trigger.to) }

// RunInTime does the same as a run in the time package, of the arming with a number from 1.
func (t *Timer) RunInTime(arming uint32) { t.fire(arming) }

// Run does the same as a run on the wheel, of the newest arming or of an older one.
func (t *Ticker) Run() { (*tickerTask)(t).Run(&t.trigger.to) }

// RunInTime does the same as a run in the time package, of the arming with a number from 1.
func (t *Ticker) RunInTime(arming uint32) { t.fire(arming) }

// Outlive does the same as Timer.StopAll once it has canceled the Timeout.
func (t *Timer) Outlive() { (*timerTask)(t).Outlive(0) }

// Outlive does the same as Timer.StopAll once it has canceled the Timeout.
func (t *Ticker) Outlive() { (*tickerTask)(t).Outlive(0) }
