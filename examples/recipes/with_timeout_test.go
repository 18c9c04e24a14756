package recipes_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A timeoutContext ends at its deadline or when it is canceled. Its parent, which never ends, has its values.
type timeoutContext struct {
	context.Context
	deadline time.Time
	timeout  hashedwheel.Timeout

	mu     sync.Mutex
	err    error                // nil until the context ends; guarded by mu
	done   chan struct{}        // nil until Done is called; guarded by mu
	onDone map[*func()]struct{} // the functions of AfterFunc; guarded by mu
}

// withTimeout is context.WithTimeout with a deadline on tm. It calls context.WithTimeout if the parent can end, since
// the wheel then saves almost nothing, or if tm is stopped or full. A context that is pending at Timer.StopAll ends
// only when it is canceled.
func withTimeout(parent context.Context, tm *hashedwheel.Timer, d time.Duration) (context.Context, context.CancelFunc) {
	if parent.Done() != nil || d <= 0 {
		return context.WithTimeout(parent, d)
	}
	c := &timeoutContext{Context: parent, deadline: tm.Now().Add(d)}
	if c.timeout.Init(tm, c).ArmAt(c.deadline) != nil {
		return context.WithTimeout(parent, d)
	}
	return c, c.cancel
}

// Run is the task of the timeout.
func (c *timeoutContext) Run(*hashedwheel.Timeout) { c.end(context.DeadlineExceeded) }
func (c *timeoutContext) cancel()                  { c.end(context.Canceled) }

// end ends c if it has not ended, and then the contexts that were made from c, as the context package does.
func (c *timeoutContext) end(err error) {
	c.timeout.Stop()
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	if c.done != nil {
		close(c.done)
	}
	onDone := c.onDone
	c.onDone = nil
	c.mu.Unlock() // the functions call Err
	for f := range onDone {
		(*f)()
	}
}

func (c *timeoutContext) Deadline() (deadline time.Time, ok bool) { return c.deadline, true }

func (c *timeoutContext) Done() <-chan struct{} {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done == nil {
		c.done = make(chan struct{})
		if c.err != nil {
			close(c.done)
		}
	}
	return c.done
}

func (c *timeoutContext) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// AfterFunc is for the context package, which calls it for each context that is made from c. Without it, each of these
// contexts would have a goroutine that waits for Done.
func (c *timeoutContext) AfterFunc(f func()) (stop func() bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil {
		go f() // the caller holds a lock that f takes
		return func() bool { return false }
	}
	if c.onDone == nil {
		c.onDone = make(map[*func()]struct{})
	}
	c.onDone[&f] = struct{}{}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		_, ok := c.onDone[&f]
		delete(c.onDone, &f)
		return ok
	}
}

// String keeps fmt from reading fields that other goroutines write.
func (c *timeoutContext) String() string { return "context with timeout" }

// A context that ends at a deadline of the wheel.
func Example_withTimeout() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()

	late, cancelLate := withTimeout(context.Background(), tm, time.Second)
	defer cancelLate()
	child, cancelChild := context.WithCancel(late)
	defer cancelChild()
	answered, cancel := withTimeout(context.Background(), tm, time.Second)
	cancel()
	clock.Advance(time.Second)
	for _, ctx := range []context.Context{late, child, answered} {
		<-ctx.Done()
		fmt.Println(ctx.Err())
	}
	// Output:
	// context deadline exceeded
	// context deadline exceeded
	// context canceled
}
