// Package kubernetes provides a clock of k8s.io/utils/clock on a wheel.
package kubernetes

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/wheeltime"
	"k8s.io/utils/clock"
)

// NewClock returns a clock for Kubernetes' libraries whose timers are on tm, in place of clock.RealClock{}.
func NewClock(tm *hashedwheel.Timer) clock.WithTickerAndDelayedExecution {
	return wheelClock{wheeltime.NewClock(tm)}
}

// A wheelClock has the Now, Since, After, Tick and Sleep of wheeltime.
type wheelClock struct{ *wheeltime.Clock }

func (c wheelClock) NewTimer(d time.Duration) clock.Timer   { return timer{c.Clock.NewTimer(d)} }
func (c wheelClock) NewTicker(d time.Duration) clock.Ticker { return ticker{c.Clock.NewTicker(d)} }

func (c wheelClock) AfterFunc(d time.Duration, f func()) clock.Timer {
	return timer{c.Clock.AfterFunc(d, f)}
}

type timer struct{ *wheeltime.Timer }

func (t timer) C() <-chan time.Time { return t.Timer.C }

type ticker struct{ *wheeltime.Ticker }

func (t ticker) C() <-chan time.Time { return t.Ticker.C }
