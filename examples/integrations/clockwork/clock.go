// Package clockwork provides a clock of github.com/jonboulle/clockwork on a wheel.
package clockwork

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/wheeltime"
	"github.com/jonboulle/clockwork"
)

// NewClock returns a clockwork.Clock whose timers are on tm, in place of clockwork.NewRealClock().
func NewClock(tm *hashedwheel.Timer) clockwork.Clock { return clock{wheeltime.NewClock(tm)} }

// A clock has the Now, Since, Until, After and Sleep of wheeltime.
type clock struct{ *wheeltime.Clock }

func (c clock) NewTimer(d time.Duration) clockwork.Timer   { return timer{c.Clock.NewTimer(d)} }
func (c clock) NewTicker(d time.Duration) clockwork.Ticker { return ticker{c.Clock.NewTicker(d)} }

func (c clock) AfterFunc(d time.Duration, f func()) clockwork.Timer {
	return timer{c.Clock.AfterFunc(d, f)}
}

type timer struct{ *wheeltime.Timer }

func (t timer) Chan() <-chan time.Time { return t.C }

type ticker struct{ *wheeltime.Ticker }

func (t ticker) Chan() <-chan time.Time { return t.C }
