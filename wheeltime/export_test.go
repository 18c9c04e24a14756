package wheeltime

import "time"

// TimerStopped does the same as Timer.StopAll of the wheel once it has canceled the Timeout.
func (t *Ticker) TimerStopped() { (*tickerTask)(t).TimerStopped(time.Time{}) }
