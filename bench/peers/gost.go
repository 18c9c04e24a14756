package peers

import (
	"runtime"
	"sync/atomic"
	"time"

	gxtime "github.com/dubbogo/gost/time"
)

var gost = Peer{
	Name:   "gost",
	Module: "github.com/dubbogo/gost",
	What:   "the timer of Dubbo's Go side: sorted lists behind a channel of 128",
	Cannot: "refuses an arming, and forgets a stop, while its channel is full; arms and stops by walking a list; " +
		"counts from the last tick, so fires early by up to one; a tick of 10 ms and no other; Reset counts from the first arming, so it is stopped and armed anew",
	Least: 10 * time.Millisecond,
	Fixed: true,
	Open: func(time.Duration) Timer {
		t := &gostTimer{tw: gxtime.NewTimerWheel()}
		time.Sleep(30 * time.Millisecond) // its clock stands at the start of the process until it ticks
		return t
	},
}

// gostRetry does what a caller has to who wants every timeout: it arms again until
// the channel has room.
var gostRetry = Peer{
	Name:   "gost-retry",
	Module: gost.Module,
	What:   "gost, armed again until it does not refuse",
	Cannot: "as gost, but that an arming waits",
	Loads:  []string{"fire", "rpc", "late", "steady"},
	Least:  gost.Least,
	Fixed:  true,
	Open:   func(tick time.Duration) Timer { return gostPatient{gost.Open(tick).(*gostTimer)} },
}

type gostPatient struct{ *gostTimer }

func (t gostPatient) Arm(d time.Duration, f func()) Armed {
	for {
		if to := t.tw.AfterFunc(d, f); to != nil {
			return gostArmed{to}
		}
		runtime.Gosched()
	}
}

type gostTimer struct {
	tw   *gxtime.TimerWheel
	lost atomic.Int64
}

func (t *gostTimer) Arm(d time.Duration, f func()) Armed {
	if to := t.tw.AfterFunc(d, f); to != nil {
		return gostArmed{to}
	}
	t.lost.Add(1)
	return gostArmed{}
}

func (t *gostTimer) Lost() int { return int(t.lost.Load()) }

// Close does not wait: gost's own Close hangs.
func (t *gostTimer) Close() { t.tw.Stop() }

type gostArmed struct{ *gxtime.Timer }

func (a gostArmed) Stop() bool {
	if a.Timer != nil {
		a.Timer.Stop()
	}
	return a.Timer != nil
}
