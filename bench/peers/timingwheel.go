package peers

import (
	"time"

	"github.com/RussellLuo/timingwheel"
)

var timingWheel = Peer{
	Name:   "timingwheel",
	Module: "github.com/RussellLuo/timingwheel",
	What:   "Kafka's hierarchical wheel with a delay queue",
	Cannot: "rounds down, so fires early by up to a tick; on the wall clock; no Reset: stopped and armed again",
	Least:  time.Millisecond,
	Open: func(tick time.Duration) Timer {
		tw := timingwheel.NewTimingWheel(tick, 512)
		tw.Start()
		return timingWheelTimer{tw}
	},
}

type timingWheelTimer struct{ *timingwheel.TimingWheel }

func (t timingWheelTimer) Arm(d time.Duration, f func()) Armed { return t.AfterFunc(d, f) }

func (t timingWheelTimer) Close() { t.Stop() }
