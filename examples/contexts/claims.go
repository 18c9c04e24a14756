package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A claim is a line of what is shown, and the attempt that bears it out.
type claim struct {
	can   bool // else it is something that a wheel-backed context cannot do
	what  string
	holds func(*attempt) bool // whether what is said is so
}

// An attempt is a context that was ended by the wheel, and its surroundings.
type attempt struct {
	timer      *hashedwheel.Timer
	limit      time.Duration
	ctx        context.Context // ended by the wheel
	plain      context.Context // the same without limited around it
	child      context.Context // made by context.WithCancel from ctx
	std        context.Context // ended by context.WithTimeout
	took       time.Duration   // until ctx ended
	goroutines int             // that the child cost
}

var claims = []claim{
	{true, "end after its time, never before", func(a *attempt) bool { return a.took >= a.limit }},
	{true, "say why: Cause is context.DeadlineExceeded", func(a *attempt) bool {
		return context.Cause(a.plain) == context.DeadlineExceeded
	}},
	{true, "end its children for the same Cause", func(a *attempt) bool {
		return context.Cause(a.child) == context.DeadlineExceeded
	}},
	{true, "have children that cost no goroutine", func(a *attempt) bool { return a.goroutines <= 0 }},
	{true, "have a Deadline and Err, with a type around it", func(a *attempt) bool {
		_, ok := a.ctx.Deadline()
		return ok && a.ctx.Err() == context.DeadlineExceeded
	}},
	{true, "be cancelled first: its timeout is stopped", cancelledFirst},
	{true, "end with its parent: its timeout is stopped", endedWithParent},
	{false, "have a Deadline by itself, to be passed on", func(a *attempt) bool {
		_, ok := a.plain.Deadline()
		_, std := a.std.Deadline()
		return !ok && std
	}},
	{false, "have Err say DeadlineExceeded by itself", func(a *attempt) bool {
		return a.plain.Err() == context.Canceled && a.std.Err() == context.DeadlineExceeded
	}},
	{false, "have its children's Err say so without a Done channel of its own", func(a *attempt) bool {
		return a.child.Err() == context.Canceled
	}},
}

func cancelledFirst(a *attempt) bool {
	ctx, cancel := withLimit(context.Background(), a.timer, time.Hour)
	cancel()
	return a.timer.Pending() == 0 && ctx.Err() == context.Canceled
}

func endedWithParent(a *attempt) bool {
	parent, cancelParent := context.WithCancel(context.Background())
	ctx, cancel := withLimit(parent, a.timer, time.Hour)
	defer cancel()
	cancelParent()
	return until(grace, func() bool { return a.timer.Pending() == 0 }) && ctx.Err() == context.Canceled
}

// try makes the attempt.
func try(tm *hashedwheel.Timer, limit time.Duration) *attempt {
	start := time.Now()
	ctx, cancel := withLimit(context.Background(), tm, limit)
	defer cancel()
	std, cancelStd := context.WithTimeout(context.Background(), limit)
	defer cancelStd()
	before := runtime.NumGoroutine()
	child, cancelChild := context.WithCancel(ctx)
	defer cancelChild()
	a := &attempt{timer: tm, limit: limit, ctx: ctx, plain: ctx.(*limited).Context, child: child, std: std}
	a.goroutines = runtime.NumGoroutine() - before
	<-child.Done()
	<-std.Done()
	a.took = time.Since(start)
	return a
}

// tryAll prints what holds. It returns an error that says what does not.
func tryAll(tm *hashedwheel.Timer, cfg config, stdout io.Writer) error {
	a := try(tm, cfg.limit)
	fmt.Fprintf(stdout, "a context that the wheel ends after %v can\n", cfg.limit)
	for i, c := range claims {
		if i > 0 && claims[i-1].can && !c.can {
			fmt.Fprintln(stdout, "and cannot")
		}
		if !c.holds(a) {
			return fmt.Errorf("not so: a wheel-backed context %s %s", verb(c.can), c.what)
		}
		fmt.Fprintln(stdout, "  -", c.what)
	}
	return nil
}

func verb(can bool) string {
	if can {
		return "can"
	}
	return "cannot"
}
