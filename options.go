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
	executor   Executor
	clock      *ManualClock // nil: the system's
	onPanic    func(t *Timeout, recovered any)
}

const (
	minTick      = 100 * time.Microsecond // below it the system's own timers are the limit
	maxTick      = time.Duration(maxDeadline)
	maxWheelSize = 1 << 16 // so a bitmap of its buckets is 1,024 words, and flat
)

// valid returns nil if ok, otherwise New's error.
func valid(ok bool, format string, args ...any) error {
	if ok {
		return nil
	}
	return fmt.Errorf("hashedwheel: "+format, args...)
}

// WithTick sets the most that a task may be late: 1ms by default, 100µs at least. As long as the worker runs no more
// often than once a tick on average, plus a burst of ten after a rest, it runs for each timeout at its own time;
// otherwise it waits for the next whole tick. So where fewer timeouts expire than ticks pass, each is on time. With a
// long tick, timeouts of less than a tick use up these runs, also if they are stopped. A longer tick saves wake-ups
// where more than one timeout expires in a tick, and nothing else.
//
// In a testing/synctest bubble the default is 1ns: every timeout is exactly on time there.
func WithTick(d time.Duration) Option {
	return func(o *options) error {
		o.tick = d
		return valid(d >= minTick && d <= maxTick, "WithTick(%v): must be from %v to 9 years", d, minTick)
	}
}

// WithWheelSize sets the number of buckets, rounded up to a power of two: 512 by default, 1<<16 at most. A bucket is 56
// bytes. Delays longer than size × tick cost a few more visits. With fewer than 65 timeouts in each bucket, a garbage
// collection with a million pending takes several times as long.
func WithWheelSize(n int) Option {
	return func(o *options) error {
		o.wheelSize = 1 << bits.Len(uint(n-1))
		return valid(n >= 1 && n <= maxWheelSize, "WithWheelSize(%d): must be from 1 to %d", n, maxWheelSize)
	}
}

// WithMaxPending bounds how many timeouts may be pending; the default, 0, is no bound. A full timer refuses the calls
// that can return ErrFull: Schedule, Timeout.Arm and ArmAt, and with them a new key of package keyed and a new
// connection of package idle. All other calls, such as AfterFunc, Reset and Every, are never refused, but count:
// pending timeouts may then exceed the bound. A timeout stops counting when it expires, even if its task still waits in
// the Executor. In-flight calls count too. A bound costs an update of a shared counter each time a timeout is armed or
// ends.
func WithMaxPending(n int) Option {
	return func(o *options) error {
		o.maxPending = n
		return valid(n >= 0, "WithMaxPending(%d): must not be negative", n)
	}
}

// WithExecutor sets the Executor that runs the tasks. By default, except on a ManualClock, goroutines do, as with
// time.AfterFunc: a task may block, and no task waits for another. Tasks that return soon share goroutines (except
// under the race detector, which could not report races between them): a task that changes its goroutine permanently
// (runtime.LockOSThread, profiler labels) should end it by Goexit. Limit(n) runs at most n tasks at once, Inline runs
// them on the worker, and ExecutorFunc(func(f func()) { go f() }) has a goroutine for each task.
func WithExecutor(e Executor) Option {
	return func(o *options) error {
		f, isFunc := e.(ExecutorFunc)
		o.executor = e
		return valid(e != nil && !(isFunc && f == nil), "WithExecutor: must not be nil")
	}
}

// WithClock sets a ManualClock in place of the system's monotonic clock, and makes Inline the default Executor.
func WithClock(c *ManualClock) Option {
	return func(o *options) error {
		o.clock = c
		return valid(c != nil, "WithClock: must not be nil")
	}
}

// WithPanicHandler makes the timer recover a task's panic and call h with the timeout and the recovered value, on the
// goroutine that ran the task, before its stack is unwound: debug.Stack shows where the panic came from. For a panic of
// the Executor's Go the worker calls h. h may be called concurrently, and gets no panic(nil) under GODEBUG=panicnil=1.
// Without h the program crashes, and h itself must not panic.
func WithPanicHandler(h func(t *Timeout, recovered any)) Option {
	return func(o *options) error {
		o.onPanic = h
		return valid(h != nil, "WithPanicHandler: must not be nil")
	}
}
