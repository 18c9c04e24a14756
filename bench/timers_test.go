package bench

import (
	"time"

	"github.com/RussellLuo/timingwheel"
	"github.com/zeromicro/go-zero/core/collection"

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

// An Owner is a Timer whose timeouts can be armed again after Stop, and moved while they are pending.
type Owner interface {
	Timer
	New(f func()) Owned
}

// Owned is a timeout that its owner arms by Reset, as often as needed.
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
}

// two are the timers of every load.
var two = []Kind{
	{Name: "std", Owns: true, Open: func(time.Duration) Timer { return stdTimer{} }},
	{Name: "hashedwheel", Owns: true, Open: func(tick time.Duration) Timer { return openWheel(tick) }},
}

// kinds are all timers: the time package, this library, and other libraries.
var kinds = append(two[:2:2],
	Kind{Name: "hashedwheel-inline", Owns: true, Open: func(tick time.Duration) Timer {
		return openWheel(tick, hashedwheel.WithExecutor(hashedwheel.Inline{}))
	}},
	Kind{Name: "timingwheel", Early: true, Open: openTimingWheel},
	Kind{Name: "go-zero", Owns: true, Early: true, Open: openGoZero},
)

func nop() {}

// stdTimer is the time package.
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

func (w wheel) Close() { w.StopAll() }

// timingWheelTimer is RussellLuo/timingwheel, the hierarchical wheel of Kafka. It rounds deadlines down, so it fires up
// to a tick early. Its ticks are whole milliseconds.
type timingWheelTimer struct{ *timingwheel.TimingWheel }

func openTimingWheel(tick time.Duration) Timer {
	tw := timingwheel.NewTimingWheel(tick, 512)
	tw.Start()
	return timingWheelTimer{tw}
}

func (t timingWheelTimer) AfterFunc(d time.Duration, f func()) Armed {
	return t.TimingWheel.AfterFunc(d, f)
}

func (t timingWheelTimer) Close() { t.Stop() }

// goZeroTimer is the wheel with rounds of go-zero, which is called through channels. It rounds deadlines down from its
// last tick, so it fires up to two ticks early. A timeout that is moved earlier may fire a turn late. A busy wheel
// misses ticks, which makes all later timeouts late. Stopped timeouts stay in memory until the wheel reaches their
// slot.
type goZeroTimer struct{ tw *collection.TimingWheel }

func openGoZero(tick time.Duration) Timer {
	tw, err := collection.NewTimingWheel(tick, 512, func(key, _ any) { key.(*goZeroOwned).f() })
	if err != nil {
		panic(err)
	}
	return goZeroTimer{tw}
}

func (t goZeroTimer) AfterFunc(d time.Duration, f func()) Armed {
	o := &goZeroOwned{t.tw, f}
	o.Reset(d)
	return o
}

func (t goZeroTimer) New(f func()) Owned { return &goZeroOwned{t.tw, f} }

func (t goZeroTimer) Close() { t.tw.Stop() }

// goZeroOwned is its own key in the wheel: the conversion of a pointer to any does not allocate.
type goZeroOwned struct {
	tw *collection.TimingWheel
	f  func()
}

// Reset arms a timeout, or moves a pending one: SetTimer does both.
func (o *goZeroOwned) Reset(d time.Duration) bool { return o.tw.SetTimer(o, nil, d) == nil }

func (o *goZeroOwned) Stop() bool { return o.tw.RemoveTimer(o) == nil }
