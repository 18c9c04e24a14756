package recipes_test

import (
	"context"
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// withLease calls handle with a context that ends when the lease is about to be lost. Until handle returns, it calls
// extend every third of the lease, so that a single failure does not lose the lease. A call of extend may still be
// running when withLease returns.
func withLease(
	tm *hashedwheel.Timer, lease time.Duration, extend func() error, handle func(context.Context),
) error {
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	extended := tm.Now()
	keep := tm.Every(lease/3, func(s *hashedwheel.Series) { // runs do not overlap
		begun := tm.Now()
		if err := extend(); err == nil {
			extended = begun
		} else if tm.Now().Sub(extended) > lease/2 {
			cancel(fmt.Errorf("the lease ends: %w", err))
			s.Stop()
		}
	})
	defer keep.Stop()
	if err := keep.Err(); err != nil {
		return err // the Timer is stopped: nothing would extend the lease
	}
	handle(ctx)
	return context.Cause(ctx)
}

// A queue hides a message from other consumers for thirty seconds (a visibility timeout), and its handler may take
// longer. Use a Timer with the default executor, since extend makes a network call.
func Example_lease() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()

	extensions := 0
	extend := func() error {
		if extensions == 4 {
			return fmt.Errorf("no such message")
		}
		extensions++
		return nil
	}
	err := withLease(tm, 30*time.Second, extend, func(context.Context) { clock.Advance(25 * time.Second) })
	fmt.Println(extensions, "extensions,", err)
	err = withLease(tm, 30*time.Second, extend, func(ctx context.Context) {
		for ctx.Err() == nil {
			clock.Advance(time.Second)
		}
	})
	fmt.Println(extensions, "extensions,", err)
	fmt.Println(tm.Pending(), "pending")
	// Output:
	// 2 extensions, <nil>
	// 4 extensions, the lease ends: no such message
	// 0 pending
}
