package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A claim is a line of what is shown, and the attempt that bears it out.
type claim struct {
	what  string
	holds func(*attempt) bool
}

// An attempt is a context that was ended by the wheel, and its surroundings.
type attempt struct {
	timer      *hashedwheel.Timer
	limit      time.Duration
	ctx        context.Context // ended by the wheel
	child      context.Context // made by context.WithCancel from ctx, through context.WithValue
	took       time.Duration   // until ctx ended
	goroutines int             // that ctx and the child cost
}

type key struct{}

var claims = []claim{
	{"ends after its time, never before", func(a *attempt) bool { return a.took >= a.limit }},
	{"has a Deadline, to be passed on", func(a *attempt) bool {
		_, ok := a.ctx.Deadline()
		return ok
	}},
	{"has an Err and a Cause that say DeadlineExceeded", func(a *attempt) bool { return exceeded(a.ctx) }},
	{"ends its children, also those with a value in between, for the same Err and Cause", func(a *attempt) bool {
		return exceeded(a.child) && a.child.Value(key{}) == "between"
	}},
	{"needs no goroutine, nor do its children", func(a *attempt) bool { return a.goroutines <= 0 }},
	{"can be cancelled first: its timeout is stopped", cancelledFirst},
	{"ends with its parent, for its Cause: its timeout is stopped", endedWithParent},
	{"ends at once if the timer refuses, and its Cause says why", endedByRefusal},
}

func exceeded(ctx context.Context) bool {
	return ctx.Err() == context.DeadlineExceeded && context.Cause(ctx) == context.DeadlineExceeded
}

func cancelledFirst(a *attempt) bool {
	ctx, cancel := withLimit(context.Background(), a.timer, time.Hour)
	cancel()
	return a.timer.Pending() == 0 && ctx.Err() == context.Canceled
}

var errShutdown = errors.New("shutting down")

func endedWithParent(a *attempt) bool {
	parent, cancelParent := context.WithCancelCause(context.Background())
	ctx, cancel := withLimit(parent, a.timer, time.Hour)
	defer cancel()
	cancelParent(errShutdown)
	<-ctx.Done()
	return until(grace, func() bool { return a.timer.Pending() == 0 }) &&
		ctx.Err() == context.Canceled && context.Cause(ctx) == errShutdown
}

func endedByRefusal(*attempt) bool {
	stopped := hashedwheel.MustNew()
	stopped.Stop()
	ctx, cancel := withLimit(context.Background(), stopped, time.Hour)
	defer cancel()
	return ctx.Err() == context.Canceled && context.Cause(ctx) == hashedwheel.ErrStopped
}

// try makes the attempt.
func try(tm *hashedwheel.Timer, limit time.Duration) *attempt {
	defer tm.AfterFunc(time.Hour, func() {}).Stop()
	time.Sleep(2 * tm.Tick()) // the timer's own goroutine is there before one counts
	before := runtime.NumGoroutine()
	start := time.Now()
	ctx, cancel := withLimit(context.Background(), tm, limit)
	defer cancel()
	child, cancelChild := context.WithCancel(context.WithValue(ctx, key{}, "between"))
	defer cancelChild()
	a := &attempt{timer: tm, limit: limit, ctx: ctx, child: child}
	a.goroutines = runtime.NumGoroutine() - before
	<-child.Done()
	a.took = time.Since(start)
	return a
}

// tryAll prints what holds. It returns an error that says what does not.
func tryAll(tm *hashedwheel.Timer, cfg config, stdout io.Writer) error {
	a := try(tm, cfg.limit)
	fmt.Fprintf(stdout, "a context that the wheel ends after %v\n", cfg.limit)
	for _, c := range claims {
		if !c.holds(a) {
			return fmt.Errorf("not so: a context that the wheel ends %s", c.what)
		}
		fmt.Fprintln(stdout, "  -", c.what)
	}
	return nil
}
