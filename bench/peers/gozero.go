package peers

import (
	"time"

	"github.com/zeromicro/go-zero/core/collection"
)

var goZero = Peer{
	Name:   "go-zero",
	Module: "github.com/zeromicro/go-zero",
	What:   "core/collection's wheel with rounds, behind channels",
	Cannot: "rounds down from the last tick, so fires early by up to two ticks; a timeout that is moved earlier may fire a turn " +
		"of the wheel late; ticks that a busy wheel misses are lost, which makes all pending timeouts later; keeps stopped " +
		"timeouts until the wheel reaches their slot",
	Owns: true,
	Open: func(tick time.Duration) Timer {
		tw, err := collection.NewTimingWheel(tick, 512, func(key, _ any) { key.(*goZeroArmed).f() })
		if err != nil {
			panic(err)
		}
		return goZeroTimer{tw}
	},
}

type goZeroTimer struct{ tw *collection.TimingWheel }

func (t goZeroTimer) Arm(d time.Duration, f func()) Armed {
	a := &goZeroArmed{t.tw, f}
	a.Reset(d)
	return a
}

func (t goZeroTimer) Own(f func()) Owned { return &goZeroArmed{t.tw, f} }

func (t goZeroTimer) Close() { t.tw.Stop() }

// goZeroArmed is its own key: a pointer becomes an any without an allocation.
type goZeroArmed struct {
	tw *collection.TimingWheel
	f  func()
}

// Reset arms, or moves a pending timeout: SetTimer does both.
func (a *goZeroArmed) Reset(d time.Duration) bool { return a.tw.SetTimer(a, nil, d) == nil }

func (a *goZeroArmed) Stop() bool { return a.tw.RemoveTimer(a) == nil }
