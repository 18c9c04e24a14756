// Package shim declares the time package's names, with timers and channels on a wheel. The time package's own tests
// import it in place of the time package. The README of the folder above describes how.
package shim

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// The tick is the shortest that WithTick accepts, since the tests wait for tens of thousands of ticks.
var clock = wheeltime.NewClock(hashedwheel.MustNew(hashedwheel.WithTick(100 * time.Microsecond)))

// On the wheel.
type (
	Timer  = wheeltime.Timer
	Ticker = wheeltime.Ticker
)

var (
	After     = clock.After
	AfterFunc = clock.AfterFunc
	NewTicker = clock.NewTicker
	NewTimer  = clock.NewTimer
	Now       = clock.Now
	Since     = clock.Since
	Sleep     = clock.Sleep
	Tick      = clock.Tick
	Until     = clock.Until
)

// From the time package.
type (
	Duration = time.Duration
	Time     = time.Time
)

const (
	Nanosecond  = time.Nanosecond
	Microsecond = time.Microsecond
	Millisecond = time.Millisecond
	Second      = time.Second
	Minute      = time.Minute
	Hour        = time.Hour
)

var Unix = time.Unix

// Interrupt does nothing. The time package's Interrupt sends a signal to the process, which must not end a sleep.
func Interrupt() {}
