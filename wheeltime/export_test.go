package wheeltime

import "time"

// TimerStopped is what Timer.Stop of the wheel calls once it has canceled the Timeout.
func (t *Ticker) TimerStopped() { (*tickerTask)(t).TimerStopped(time.Time{}) }
