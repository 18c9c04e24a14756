package hashedwheel

import (
	"errors"
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
	onPanic    func(to *Timeout, recovered any)
}

const (
	minTick      = 100 * time.Microsecond // below it the system's own timers are the limit
	maxTick      = time.Duration(maxDeadline)
	maxWheelSize = 1 << 24
)

func defaults() options {
	return options{
		tick:       100 * time.Millisecond,
		wheelSize:  512,
		drainLimit: 100_000,
		clock:      systemClock{},
	}
}

// WithTick sets how often the timer looks for what is due, and so how late a
// task may start. The default is 100ms, the least 100µs. A short tick costs
// nothing while no armings come in and nothing is due.
func WithTick(d time.Duration) Option {
	return func(o *options) error {
		if d < minTick || d > maxTick {
			return fmt.Errorf("hashedwheel: WithTick(%v): must be from %v to %v", d, minTick, maxTick)
		}
		o.tick = d
		return nil
	}
}

// WithWheelSize sets the number of buckets, rounded up to a power of two; the
// default is 512, the most 1<<24. It is 8 bytes a bucket. Delays longer than a
// turn of the wheel, size × tick, are filed again on their way, a handful of times
// at most.
func WithWheelSize(n int) Option {
	return func(o *options) error {
		if n < 1 || n > maxWheelSize {
			return fmt.Errorf("hashedwheel: WithWheelSize(%d): must be from 1 to %d", n, maxWheelSize)
		}
		o.wheelSize = 1 << bits.Len(uint(n-1))
		return nil
	}
}

// WithMaxPending bounds how many timeouts may be pending. Further armings are
// refused: Schedule returns ErrFull, AfterFunc and Reset leave the Timeout
// Rejected. The default, 0, is no bound. Calls under way may count too,
// so that close to the bound one is refused a moment too early. A bound costs every
// arming and every outcome an update of one counter that all share.
func WithMaxPending(n int) Option {
	return func(o *options) error {
		if n < 0 {
			return fmt.Errorf("hashedwheel: WithMaxPending(%d): must not be negative", n)
		}
		o.maxPending = n
		return nil
	}
}

// WithDrainLimit bounds how many armings a tick files before it hands out what
// is due; the rest is filed after that, in the time that is left. The default
// is 100,000, some three milliseconds' work: go test -bench Drain.
func WithDrainLimit(n int) Option {
	return func(o *options) error {
		if n < 1 {
			return fmt.Errorf("hashedwheel: WithDrainLimit(%d): must be at least 1", n)
		}
		o.drainLimit = n
		return nil
	}
}

// WithExecutor sets what runs the tasks. By default goroutines do, as under
// time.AfterFunc: a task may take its time and block, for none waits for another
// to return. Those of one tick that return soon share a few goroutines, for a
// fraction of the cost of one each. So a task that leaves its goroutine changed for
// good (runtime.LockOSThread, the profiler's labels) should end that goroutine, by
// runtime.Goexit. Or have one for each:
//
//	WithExecutor(ExecutorFunc(func(f func()) { go f() }))
func WithExecutor(e Executor) Option {
	return func(o *options) error {
		if f, ok := e.(ExecutorFunc); e == nil || ok && f == nil {
			return errors.New("hashedwheel: WithExecutor(nil)")
		}
		o.executor = e
		return nil
	}
}

// WithClock sets the clock. The default is the system's monotonic clock.
func WithClock(c Clock) Option {
	return func(o *options) error {
		if c == nil {
			return errors.New("hashedwheel: WithClock(nil)")
		}
		o.clock = c
		return nil
	}
}

// WithPanicHandler makes the timer recover a task's panic and call h with the
// timeout and the recovered value, on the goroutine that ran the task, before
// its stack is unwound: debug.Stack shows where the panic came from. It gets a
// panic of the Executor's Go too, on the worker. A panic of h crashes the program,
// and by default so does that of a task, as under time.AfterFunc.
func WithPanicHandler(h func(to *Timeout, recovered any)) Option {
	return func(o *options) error {
		if h == nil {
			return errors.New("hashedwheel: WithPanicHandler(nil)")
		}
		o.onPanic = h
		return nil
	}
}
