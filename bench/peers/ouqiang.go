package peers

import (
	"time"

	"github.com/ouqiang/timewheel"
)

var ouqiang = Peer{
	Name:   "ouqiang",
	Module: "github.com/ouqiang/timewheel",
	What:   "one wheel with rounds, behind channels",
	Cannot: "counts in whole seconds: a tick below 1 s divides by zero, and a delay loses its fraction, " +
		"so that it fires early by up to a second; stopping walks the slot; no Reset: stopped and armed anew",
	Least: time.Second,
	Open: func(tick time.Duration) Timer {
		tw := timewheel.New(max(tick, time.Second), 512, func(data any) { data.(*ouqiangArmed).f() })
		tw.Start()
		return ouqiangTimer{tw}
	},
}

type ouqiangTimer struct{ tw *timewheel.TimeWheel }

// Arm takes the pointer as the key, which needs no allocation of its own.
func (t ouqiangTimer) Arm(d time.Duration, f func()) Armed {
	a := &ouqiangArmed{t.tw, f}
	t.tw.AddTimer(d, a, a)
	return a
}

func (t ouqiangTimer) Close() { t.tw.Stop() }

type ouqiangArmed struct {
	tw *timewheel.TimeWheel
	f  func()
}

func (a *ouqiangArmed) Stop() bool {
	a.tw.RemoveTimer(a)
	return true
}
