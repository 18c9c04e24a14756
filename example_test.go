package hashedwheel_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// conn closes itself when nothing was read for a minute. Its timeout is part of
// it: no allocation when it is made, none when it is moved.
type conn struct {
	name string
	idle hashedwheel.Timeout
}

func newConn(tm *hashedwheel.Timer, name string) *conn {
	c := &conn{name: name}
	c.idle.Init(tm, c)
	c.idle.Reset(time.Minute)
	return c
}

func (c *conn) onRead() { c.idle.Reset(time.Minute) }

// Run is called when the minute is over: a conn is the Task of its timeout.
func (c *conn) Run(*hashedwheel.Timeout) { fmt.Println(c.name, "was idle for a minute") }

// An idle timeout is part of its connection, and is moved at every read.
func ExampleTimeout() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()

	busy, quiet := newConn(tm, "busy"), newConn(tm, "quiet")
	for range 3 {
		clock.Advance(30 * time.Second)
		busy.onRead()
	}
	fmt.Println("busy is", busy.idle.State())
	fmt.Println("quiet is", quiet.idle.State())
	// Output:
	// quiet was idle for a minute
	// busy is Pending
	// quiet is Expired
}

// AfterFunc takes the place of time.AfterFunc: a deadline for each call.
func ExampleTimer_AfterFunc() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
	defer tm.Stop()

	reply := make(chan string, 1)
	failed := make(chan error, 1)
	deadline := tm.AfterFunc(5*time.Second, func() { failed <- errors.New("no reply in time") })
	go func() { reply <- "pong" }() // the call

	select {
	case r := <-reply:
		fmt.Println(r, deadline.Stop())
	case err := <-failed:
		fmt.Println(err)
	}
	// Output: pong true
}

// A program has one Timer for all its timeouts, and stops it at its end.
func ExampleTimer() {
	tm := hashedwheel.MustNew()
	done := make(chan struct{})
	tm.AfterFunc(time.Millisecond, func() { close(done) })
	tm.AfterFunc(time.Hour, func() { fmt.Println("never comes") })
	<-done
	fmt.Println(len(tm.Stop()), "left over")
	// Output: 1 left over
}

func ExampleState() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))
	defer tm.Stop()

	var to hashedwheel.Timeout
	to.Init(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
	fmt.Println(to.State())
	to.Reset(time.Second)
	fmt.Println(to.State())
	to.Stop()
	fmt.Println(to.State())
	to.Reset(time.Second)
	clock.Advance(time.Minute)
	fmt.Println(to.State())
	// Output:
	// Idle
	// Pending
	// Cancelled
	// Expired
}

// New returns an error for options that come from outside, such as a file.
func ExampleNew() {
	tick := time.Microsecond
	_, err := hashedwheel.New(hashedwheel.WithTick(tick))
	fmt.Println(err != nil)
	// Output: true
}

func ExampleMustNew() {
	tm := hashedwheel.MustNew(
		hashedwheel.WithTick(10*time.Millisecond),
		hashedwheel.WithMaxPending(1_000_000),
	)
	defer tm.Stop()
	fmt.Println(tm.Pending())
	// Output: 0
}

// Schedule tells a caller that outlives the timer that it is too late.
func ExampleTimer_Schedule() {
	tm := hashedwheel.MustNew()
	tm.Stop()

	_, err := tm.Schedule(time.Second, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
	fmt.Println(errors.Is(err, hashedwheel.ErrStopped))
	// Output: true
}

// Init binds the timeouts of a whole table: one allocation for all of them.
func ExampleTimeout_Init() {
	tm := hashedwheel.MustNew()
	defer tm.Stop()

	leases := make([]hashedwheel.Timeout, 1000)
	expire := hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) { fmt.Println("expired") })
	for i := range leases {
		leases[i].Init(tm, expire)
		leases[i].Reset(time.Hour)
	}
	fmt.Println(tm.Pending())
	// Output: 1000
}

// Reset moves a timeout, and tells whether it still was to come.
func ExampleTimeout_Reset() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))
	defer tm.Stop()

	lease := tm.AfterFunc(10*time.Second, func() {})
	clock.Advance(9 * time.Second)
	fmt.Println("in time:", lease.Reset(10*time.Second))
	clock.Advance(11 * time.Second)
	fmt.Println("in time:", lease.Reset(10*time.Second))
	// Output:
	// in time: true
	// in time: false
}

// An event loop reads the clock once for all connections that have become ready.
func ExampleTimeout_ResetAt() {
	tm := hashedwheel.MustNew()
	defer tm.Stop()

	ready := make([]hashedwheel.Timeout, 3)
	for i := range ready {
		ready[i].Init(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
	}
	now := time.Now()
	for i := range ready {
		ready[i].ResetAt(now.Add(time.Minute))
	}
	fmt.Println(ready[2].Deadline().Sub(now))
	// Output: 1m0s
}

// Stop decides a race: only one of the two sides sees true or runs.
func ExampleTimeout_Stop() {
	tm := hashedwheel.MustNew()
	defer tm.Stop()

	to := tm.AfterFunc(time.Hour, func() { fmt.Println("too late") })
	if to.Stop() {
		fmt.Println("in time")
	}
	fmt.Println(to.Stop())
	// Output:
	// in time
	// false
}

// Stop returns what did not run, for instance to run it now.
func ExampleTimer_Stop() {
	tm := hashedwheel.MustNew()
	tm.AfterFunc(time.Hour, func() { fmt.Println("flushed") })

	for _, to := range tm.Stop() {
		to.Task().Run(to)
	}
	// Output: flushed
}

// Shutdown waits for the tasks that have begun, but not for ever.
func ExampleTimer_Shutdown() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	began := make(chan struct{})
	tm.AfterFunc(0, func() {
		close(began)
		time.Sleep(10 * time.Millisecond)
		fmt.Println("saved")
	})
	<-began

	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	left, err := tm.Shutdown(ctx)
	fmt.Println(len(left), err)
	// Output:
	// saved
	// 0 <nil>
}
