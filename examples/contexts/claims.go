package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// A claim is a property of the context, and its test.
type claim struct {
	what  string
	holds func(*attempt) bool
}

// An attempt is a context that the timer has ended.
type attempt struct {
	timer      *hashedwheel.Timer
	limit      time.Duration
	ctx        context.Context
	child      context.Context // made by context.WithCancel from ctx, through context.WithValue
	took       time.Duration   // until ctx ended
	goroutines int             // started for ctx and child
}

type key struct{}

var claims = []claim{
	{"ends after its time, never before", func(a *attempt) bool { return a.took >= a.limit }},
	{"has a Deadline", func(a *attempt) bool {
		_, ok := a.ctx.Deadline()
		return ok
	}},
	{"has the Err and Cause DeadlineExceeded", func(a *attempt) bool { return exceeded(a.ctx) }},
	{"ends its children, also below a WithValue, with the same Err and Cause", func(a *attempt) bool {
		return exceeded(a.child) && a.child.Value(key{}) == "between"
	}},
	{"starts no goroutine, for its children neither", func(a *attempt) bool { return a.goroutines <= 0 }},
	{"stops its timeout when it is canceled first", canceledFirst},
	{"ends with its parent and the parent's Cause, and stops its timeout", endedWithParent},
	{"ends at once if the timer is stopped or full, with that as its Cause", endedByRefusal},
}

func exceeded(ctx context.Context) bool {
	return ctx.Err() == context.DeadlineExceeded && context.Cause(ctx) == context.DeadlineExceeded
}

func canceledFirst(a *attempt) bool {
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
	return example.Until(grace, func() bool { return a.timer.Pending() == 0 }) &&
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
	time.Sleep(2 * tm.Tick()) // the worker runs before the goroutines are counted
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

// tryAll prints the claims that hold. It returns an error that names the first that does not.
func tryAll(tm *hashedwheel.Timer, cfg config, stdout io.Writer) error {
	a := try(tm, cfg.limit)
	fmt.Fprintf(stdout, "a context that the timer ends after %v\n", cfg.limit)
	for _, c := range claims {
		if !c.holds(a) {
			return fmt.Errorf("not true: a context that the timer ends %s", c.what)
		}
		fmt.Fprintln(stdout, "  -", c.what)
	}
	return nil
}
