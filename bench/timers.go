// Package bench measures timers. Its benchmarks are its tests, a file for each load; the rest is what they share
// with cmd/gain: two timers, and a load at a fixed rate.
package bench

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A Timer arms timeouts.
type Timer interface {
	// AfterFunc arms a new timeout that calls f once d has passed.
	AfterFunc(d time.Duration, f func()) Armed

	// Close ends the timer's goroutines, if it has any.
	Close()
}

// Armed is a pending timeout. Timers differ in what Stop reports.
type Armed interface{ Stop() bool }

// An Owner is a Timer whose timeouts can be armed again after they were stopped, and moved while they are pending.
type Owner interface {
	Timer
	New(f func()) Owned
}

// Owned is a timeout that is armed by Reset, as often as its owner likes.
type Owned interface {
	Reset(d time.Duration) bool
	Stop() bool
}

// A Kind of timer takes part in the benchmarks.
type Kind struct {
	Name string
	Open func(tick time.Duration) Timer

	Owns  bool // its Timer is an Owner
	Early bool // it is known to fire early

	Drawn bool // it is one of the designs of docs/timing-wheels.md, and takes part in the loads of its table
}

// Two are the timers that cmd/gain compares.
var Two = []Kind{
	{Name: "std", Owns: true, Open: func(time.Duration) Timer { return stdTimer{} }},
	{Name: "hashedwheel", Owns: true, Open: func(tick time.Duration) Timer { return openWheel(tick) }},
}

func nop() {}

// stdTimer is package time.
type stdTimer struct{}

func (stdTimer) AfterFunc(d time.Duration, f func()) Armed { return time.AfterFunc(d, f) }

func (stdTimer) New(f func()) Owned {
	t := time.AfterFunc(time.Hour, f)
	t.Stop()
	return t
}

func (stdTimer) Close() {}

// wheel is this library.
type wheel struct{ *hashedwheel.Timer }

func openWheel(tick time.Duration, opts ...hashedwheel.Option) wheel {
	return wheel{hashedwheel.MustNew(append(opts, hashedwheel.WithTick(tick))...)}
}

func (w wheel) AfterFunc(d time.Duration, f func()) Armed { return w.Timer.AfterFunc(d, f) }

func (w wheel) New(f func()) Owned {
	to := new(hashedwheel.Timeout)
	to.InitFunc(w.Timer, f)
	return to
}

func (w wheel) Close() { w.Stop() }
