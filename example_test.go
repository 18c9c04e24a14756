package hashedwheel_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A conn is closed after a minute without a read.
type conn struct {
	name string
	idle hashedwheel.Timeout
}

func newConn(tm *hashedwheel.Timer, name string) *conn {
	c := &conn{name: name}
	c.idle.InitFunc(tm, c.close).Reset(time.Minute)
	return c
}

func (c *conn) onRead() { c.idle.Move(time.Minute) } // unlike Reset, does not arm again once close runs
func (c *conn) onEOF()  { c.idle.Stop() }
func (c *conn) close()  { fmt.Println(c.name, "was idle for a minute") }

// A struct has its timeout as a field. Every read moves it, without an allocation.
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
	busy.onEOF()
	fmt.Println("busy is", busy.idle.State())
	// Output:
	// quiet was idle for a minute
	// busy is Pending
	// quiet is Expired
	// busy is Canceled
}

// A call has a deadline. AfterFunc replaces time.AfterFunc.
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

// A program has one Timer for all its timeouts, and stops it at the end.
func ExampleTimer() {
	tm := hashedwheel.MustNew()
	done := make(chan struct{})
	tm.AfterFunc(time.Millisecond, func() { close(done) })
	tm.AfterFunc(time.Hour, func() { fmt.Println("never printed") })
	<-done
	fmt.Println(len(tm.Stop()), "still pending")
	// Output: 1 still pending
}

// New returns an error for a wrong option, for instance from a configuration file.
func ExampleNew() {
	tick := time.Microsecond
	_, err := hashedwheel.New(hashedwheel.WithTick(tick))
	fmt.Println(err)
	// Output: hashedwheel: WithTick(1µs): must be from 100µs to 9 years
}

func ExampleMustNew() {
	tm := hashedwheel.MustNew(
		hashedwheel.WithTick(10*time.Millisecond),
		hashedwheel.WithMaxPending(1_000_000),
	)
	defer tm.Stop()
	fmt.Println(tm)
	// Output: hashedwheel.Timer(tick 10ms)
}

// Schedule returns an error if the timer is stopped or full.
func ExampleTimer_Schedule() {
	tm := hashedwheel.MustNew()
	tm.Stop()

	task := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { fmt.Println("never printed") })
	if _, err := tm.Schedule(time.Second, task); errors.Is(err, hashedwheel.ErrStopped) {
		fmt.Println("too late:", err)
	}
	// Output: too late: hashedwheel: timer stopped
}

// All timeouts of a slice share one task and one allocation.
func ExampleTimeout_Init() {
	tm := hashedwheel.MustNew()
	defer tm.Stop()

	leases := make([]hashedwheel.Timeout, 1000)
	expire := hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) { fmt.Println("expired") })
	for i := range leases {
		leases[i].Init(tm, expire).Reset(time.Hour)
	}
	fmt.Println(tm.Pending())
	// Output: 1000
}

// Reset moves a timeout, and reports whether it was still pending.
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

// An event loop reads the clock once for all ready connections.
func ExampleTimeout_ResetAt() {
	tm := hashedwheel.MustNew()
	defer tm.Stop()

	ready := make([]hashedwheel.Timeout, 3)
	for i := range ready {
		ready[i].InitFunc(tm, func() {})
	}
	now := time.Now()
	for i := range ready {
		ready[i].ResetAt(now.Add(time.Minute))
	}
	fmt.Println(ready[2].Deadline().Sub(now))
	// Output: 1m0s
}

// Err reports why the timer refused a timeout.
func ExampleTimeout_Err() {
	tm := hashedwheel.MustNew(hashedwheel.WithMaxPending(1))
	defer tm.Stop()

	tm.AfterFunc(time.Hour, func() {})
	to := tm.AfterFunc(time.Hour, func() {})
	fmt.Println(to.State(), to.Err())
	// Output: Rejected hashedwheel: too many pending timeouts
}

// Stop decides a race with the task: if it returns true, the task does not run.
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

// With package time, if !t.Stop() { <-done } waits for a task that has begun. Here the whole Timer may be stopped or
// full: then t.Stop returns false although the task never runs. So look at the State also.
func ExampleTimeout_Stop_wait() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	done := make(chan struct{})
	stopAndWait := func(t *hashedwheel.Timeout) {
		if !t.Stop() && t.State() == hashedwheel.Expired {
			<-done // the task is with the executor
		}
	}

	begun := make(chan struct{})
	save := tm.AfterFunc(0, func() {
		close(begun)
		time.Sleep(10 * time.Millisecond)
		fmt.Println("saved")
		close(done)
	})
	<-begun
	stopAndWait(save)
	tm.Stop()
	stopAndWait(tm.AfterFunc(time.Hour, func() {})) // refused: there is nothing to wait for
	// Output: saved
}

// Stop returns the pending timeouts, for instance to run their tasks now. Timeouts of Series, keyed and idle have none.
func ExampleTimer_Stop() {
	tm := hashedwheel.MustNew()
	tm.AfterFunc(time.Hour, func() { fmt.Println("flushed") })

	tm.Every(time.Hour, func(*hashedwheel.Series) {})
	for _, to := range tm.Stop() {
		if task := to.Task(); task != nil {
			task.Run(to)
		}
	}
	// Output: flushed
}

// A test ends with the names of the timeouts that nobody has stopped. Stop does not return those of package wheeltime
// and of After.
func ExampleTimer_Stop_forgotten() {
	clock := hashedwheel.NewManualClock(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))

	tm.AfterFunc(time.Hour, func() {}).Stop()
	tm.AfterFunc(time.Hour, sendReminder)
	for _, to := range tm.Stop() { // in a test: in t.Cleanup, by t.Error
		fmt.Println("forgotten:", to)
	}
	// Output:
	// forgotten: hashedwheel.Timeout(Canceled, 2025-01-01 01:00:00.000, hashedwheel_test.sendReminder)
}

func sendReminder() {}

// Shutdown waits for the tasks that have begun, until its context ends.
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

// Example_synctest needs a *testing.T.
func TestExampleInSynctestBubble(t *testing.T) { lateness(t) }
