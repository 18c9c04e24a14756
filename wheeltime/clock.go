package wheeltime

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A Clock has the time package's functions as methods, on a wheel, for code that takes its time from a clock. It is
// made by NewClock, is safe for concurrent use and may be copied. The methods of a zero Clock panic.
//
// An adapter of about twenty lines makes it a clock of clockwork or of Kubernetes: see examples/integrations in the
// repository.
type Clock struct{ tm *hashedwheel.Timer }

// NewClock returns a Clock on tm.
func NewClock(tm *hashedwheel.Timer) *Clock {
	if tm == nil {
		panic("wheeltime: NewClock with a nil Timer")
	}
	return &Clock{tm}
}

// timer returns the wheel, for the methods.
func (c *Clock) timer() *hashedwheel.Timer {
	if c.tm == nil {
		panic("wheeltime: zero Clock: NewClock makes one")
	}
	return c.tm
}

// Now returns the time on the wheel's clock.
func (c *Clock) Now() time.Time { return c.timer().Now() }

// Since returns the time that has passed since t.
func (c *Clock) Since(t time.Time) time.Duration { return c.Now().Sub(t) }

// Until returns the time that is left until t.
func (c *Clock) Until(t time.Time) time.Duration { return t.Sub(c.Now()) }

// AfterFunc is the function AfterFunc on this wheel.
func (c *Clock) AfterFunc(d time.Duration, f func()) *Timer { return AfterFunc(c.timer(), d, f) }

// NewTimer is the function NewTimer on this wheel.
func (c *Clock) NewTimer(d time.Duration) *Timer { return NewTimer(c.timer(), d) }

// NewTicker is the function NewTicker on this wheel.
func (c *Clock) NewTicker(d time.Duration) *Ticker { return NewTicker(c.timer(), d) }

// After is the function After on this wheel.
func (c *Clock) After(d time.Duration) <-chan time.Time { return After(c.timer(), d) }

// Tick returns the channel of a new Ticker, or nil if d is not positive, as time.Tick does. The Ticker ticks forever,
// even after Timer.StopAll of the wheel: code that ends should use NewTicker and stop it.
func (c *Clock) Tick(d time.Duration) <-chan time.Time {
	tm := c.timer()
	if d <= 0 {
		return nil
	}
	return NewTicker(tm, d).C
}

// Sleep is the function Sleep on this wheel.
func (c *Clock) Sleep(d time.Duration) { Sleep(c.timer(), d) }

// String returns the tick of the wheel.
func (c *Clock) String() string {
	if c.tm == nil {
		return "wheeltime.Clock(uninitialized)"
	}
	return fmt.Sprintf("wheeltime.Clock(tick %v)", c.tm.Tick())
}
