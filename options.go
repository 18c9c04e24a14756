package hashedwheel

import (
	"fmt"
	"math/bits"
	"time"
)

// An Option configures a Timer.
type Option func(*options) error

type options struct {
	tick       time.Duration
	wheelSize  int
	maxPending int
	drainLimit int
	executor   Executor
	clock      Clock
	onPanic    func(t *Timeout, recovered any)
}

const (
	minTick      = 100 * time.Microsecond // below it the system's own timers are the limit
	maxTick      = time.Duration(maxDeadline)
	maxWheelSize = 1 << 24
)

// must returns the error that New returns unless ok.
func must(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("hashedwheel: "+format, args...)
}

// WithTick sets how often the timer looks for what is due, and so how late a task may
// start: 100ms by default, 100µs at least. A short tick costs nothing while no armings
// come in and nothing is due.
func WithTick(d time.Duration) Option {
	return func(o *options) error {
		o.tick = d
		return must(d >= minTick && d <= maxTick, "WithTick(%v): must be from %v to 18 years", d, minTick)
	}
}

// WithWheelSize sets the number of buckets, rounded up to a power of two; the default is
// 512, the most 1<<24. A bucket is 24 bytes. Delays longer than a turn of the wheel, size ×
// tick, are filed again on their way, a handful of times at most.
func WithWheelSize(n int) Option {
	return func(o *options) error {
		o.wheelSize = 1 << bits.Len(uint(n-1))
		return must(n >= 1 && n <= maxWheelSize, "WithWheelSize(%d): must be from 1 to %d", n, maxWheelSize)
	}
}

// WithMaxPending bounds how many timeouts may be pending; the default, 0, is no bound. Further
// armings are refused: Schedule returns ErrFull, AfterFunc and Reset leave the Timeout Rejected,
// perhaps a moment too early, since calls under way count too. A bound costs an update of a
// shared counter at each arming and outcome.
func WithMaxPending(n int) Option {
	return func(o *options) error {
		o.maxPending = n
		return must(n >= 0, "WithMaxPending(%d): must not be negative", n)
	}
}

// WithDrainLimit bounds how many armings a tick files before it hands out what is due; the
// rest is filed after that. The default is 100,000. Whatever the limit, filing stops after
// two milliseconds, or a quarter of a tick if that is less.
func WithDrainLimit(n int) Option {
	return func(o *options) error {
		o.drainLimit = n
		return must(n >= 1, "WithDrainLimit(%d): must be at least 1", n)
	}
}

// WithExecutor sets what runs the tasks. By default goroutines do, as under time.AfterFunc: a
// task may block, none waits for another to return. But those that return soon share a few. So
// a task that leaves its goroutine changed for good (runtime.LockOSThread, the profiler's
// labels) should end it, by runtime.Goexit. Or have one for each:
//
//	WithExecutor(ExecutorFunc(func(f func()) { go f() }))
func WithExecutor(e Executor) Option {
	return func(o *options) error {
		f, isFunc := e.(ExecutorFunc)
		o.executor = e
		return must(e != nil && !(isFunc && f == nil), "WithExecutor: must not be nil")
	}
}

// WithClock sets the clock. The default is the system's monotonic clock.
func WithClock(c Clock) Option {
	return func(o *options) error {
		o.clock = c
		return must(c != nil, "WithClock: must not be nil")
	}
}

// WithPanicHandler makes the timer recover a task's panic and call h with the timeout and
// the recovered value, on the goroutine that ran the task, before its stack is unwound:
// debug.Stack shows where the panic came from. A panic of the Executor's Go goes to h too,
// on the worker. A panic of h crashes the program, and by default so does a task's.
func WithPanicHandler(h func(t *Timeout, recovered any)) Option {
	return func(o *options) error {
		o.onPanic = h
		return must(h != nil, "WithPanicHandler: must not be nil")
	}
}
