package recipes_test

import (
	"context"
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// withTimeout is context.WithTimeout for code that uses Done alone: Deadline is the parent's, and the reason is in
// context.Cause, not in Err. Call cancel in any case: until then the timeout is pending.
func withTimeout(parent context.Context, tm *hashedwheel.Timer, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	expire := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { cancel(context.DeadlineExceeded) })
	timeout, err := tm.Schedule(d, expire)
	if err != nil {
		cancel(err) // stopped or full; or fall back to context.WithTimeout
		return ctx, func() {}
	}
	return ctx, func() {
		timeout.Stop()
		cancel(context.Canceled)
	}
}

// A context that ends at a deadline of the wheel.
func Example_withTimeout() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))

	late, cancelLate := withTimeout(context.Background(), tm, time.Second)
	defer cancelLate()
	ended, cancel := withTimeout(context.Background(), tm, time.Second)
	cancel()
	clock.Advance(time.Second)
	tm.Stop()
	refused, cancelRefused := withTimeout(context.Background(), tm, time.Second)
	defer cancelRefused()
	for _, ctx := range []context.Context{late, ended, refused} {
		<-ctx.Done()
		fmt.Printf("%v, because of: %v\n", ctx.Err(), context.Cause(ctx))
	}
	// Output:
	// context canceled, because of: context deadline exceeded
	// context canceled, because of: context canceled
	// context canceled, because of: hashedwheel: timer stopped
}
