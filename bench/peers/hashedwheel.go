package peers

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// hashedwheels returns this library: with each of its executors, and armed by callers
// that have already read the clock.
func hashedwheels() []Peer {
	return append([]Peer{
		{
			Name:  "hashedwheel",
			What:  "this library, tasks in goroutines (the default)",
			Owns:  true,
			Open:  func(tick time.Duration) Timer { return openWheel(tick) },
			Wheel: openWheel,
			Guard: func(d time.Duration) Guard { return guardByTimer(openWheel(guardTick))(d) },
		},
		{
			Name:  "hashedwheel-inline",
			What:  "this library, tasks on the worker (Inline)",
			Owns:  true,
			Open:  func(tick time.Duration) Timer { return openInline(tick) },
			Wheel: openInline,
		},
		{
			Name:  "hashedwheel-resetat",
			What:  "this library, ResetAt with a time read once in 256 calls",
			Loads: []string{"rearm", "move"},
			Owns:  true,
			At:    true,
			Open:  func(tick time.Duration) Timer { return openWheel(tick) },
		},
	}, wheelsLikeNettys()...)
}

// wheelsLikeNettys have the ticks at which Netty is measured, and tasks on the
// worker like Netty.
func wheelsLikeNettys() (all []Peer) {
	for _, tick := range []time.Duration{time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond} {
		all = append(all, Peer{
			Name:  fmt.Sprintf("hashedwheel-%dms", tick.Milliseconds()),
			What:  "this library with Inline, tick of " + tick.String(),
			Loads: []string{"arm", "fire", "rpc"},
			Least: tick,
			Fixed: true,
			Owns:  true,
			Open:  func(time.Duration) Timer { return openInline(tick) },
		})
	}
	return all
}

type wheel struct{ *hashedwheel.Timer }

func openWheel(tick time.Duration, opts ...hashedwheel.Option) Timer {
	return wheel{hashedwheel.MustNew(append(opts, hashedwheel.WithTick(tick))...)}
}

func openInline(tick time.Duration, opts ...hashedwheel.Option) Timer {
	return openWheel(tick, append(opts, hashedwheel.WithExecutor(hashedwheel.Inline{}))...)
}

// WheelOf returns the Timer behind t, if a Peer of this library has opened t.
func WheelOf(t Timer) (tm *hashedwheel.Timer, ok bool) {
	w, ok := t.(wheel)
	return w.Timer, ok
}

func (w wheel) Arm(d time.Duration, f func()) Armed { return w.AfterFunc(d, f) }

func (w wheel) Own(f func()) Owned {
	to := new(hashedwheel.Timeout)
	to.InitFunc(w.Timer, f)
	return to
}

func (w wheel) NewSession(d time.Duration) Armed {
	s := new(struct {
		_ [64]byte
		hashedwheel.Timeout
		_ [128]byte
	})
	s.InitFunc(w.Timer, nop)
	s.Reset(d)
	return s
}

func (w wheel) Close() { w.Stop() }
