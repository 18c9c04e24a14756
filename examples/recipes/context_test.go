package recipes_test

import (
	"context"
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// afterFuncWithin calls f after d, unless ctx ends or stop is called first. Call it anywhere, including from inside
// tasks. The order matters: untie is set before Reset, since the task calls untie. If ctx ends before Reset, its Stop
// has no effect, so ctx.Err is checked at the end.
func afterFuncWithin(ctx context.Context, tm *hashedwheel.Timer, d time.Duration, f func()) (stop func()) {
	var t hashedwheel.Timeout
	var untie func() bool // removes t from ctx
	t.InitFunc(tm, func() {
		untie()
		f()
	})
	untie = context.AfterFunc(ctx, func() { t.Stop() })
	t.Reset(d)
	stop = func() {
		untie()
		t.Stop()
	}
	if ctx.Err() != nil || t.Err() != nil {
		stop()
	}
	return stop
}

// Retries that end with a context. Each try arms the next inside a task.
func Example_context() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()
	ctx, cancel := context.WithCancel(context.Background())

	tries := 0
	var try func()
	try = func() {
		if tries++; tries == 3 {
			cancel() // while a task runs, and nothing is armed
		}
		afterFuncWithin(ctx, tm, time.Second, try)
	}
	try()
	clock.Advance(time.Minute)
	fmt.Println(tries, "tries,", tm.Pending(), "pending")
	// Output: 3 tries, 0 pending
}
