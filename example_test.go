package hashedwheel_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

type conn struct {
	name string
	idle hashedwheel.Timeout
}

// expiry is conn as the task of its Timeout. A method value or a closure would be an allocation.
type expiry conn

func (e *expiry) Run(*hashedwheel.Timeout) { fmt.Println(e.name, "was idle for a minute") }

func (c *conn) onOpen(tm *hashedwheel.Timer) error {
	return c.idle.Init(tm, (*expiry)(c)).Arm(time.Minute) // an error if tm is stopped or full
}
func (c *conn) onRead() { c.idle.Move(time.Minute) } // unlike Reset, does nothing once the timeout has expired
func (c *conn) onEOF()  { c.idle.Stop() }

// A struct has its timeout as a field. Neither arming nor moving it allocates.
func ExampleTimeout() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))

	busy, quiet := &conn{name: "busy"}, &conn{name: "quiet"}
	_, _ = busy.onOpen(tm), quiet.onOpen(tm) // this Timer is neither stopped nor full
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
	defer tm.StopAll()

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
	fmt.Println(len(tm.StopAll()), "still pending")
	// Output: 1 still pending
}

// Schedule returns an error if the timer is stopped or full.
func ExampleTimer_Schedule() {
	tm := hashedwheel.MustNew()
	tm.StopAll()

	task := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { fmt.Println("never printed") })
	if _, err := tm.Schedule(time.Second, task); errors.Is(err, hashedwheel.ErrStopped) {
		fmt.Println("too late:", err)
	}
	// Output: too late: hashedwheel: timer stopped
}

// All timeouts of a slice share one task and one allocation.
func ExampleTimeout_Init() {
	tm := hashedwheel.MustNew()
	defer tm.StopAll()

	leases := make([]hashedwheel.Timeout, 1000)
	expire := hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) { fmt.Println("expired") })
	for i := range leases {
		leases[i].Init(tm, expire).Reset(time.Hour)
	}
	fmt.Println(tm.Pending())
	// Output: 1000
}

// A session comes from a pool, and is cleared before it goes back.
type session struct {
	user string
	idle hashedwheel.Timeout
}

func (s *session) expire() { fmt.Println(s.user, "was idle for a minute") }

// A struct with a Timeout goes back to a pool. After Release the Timer no longer refers to it, so it may be cleared. A
// program that does that for every request saves the lock: it leaves the Timeout bound, clears the other fields, and
// calls Stop in place of Release.
func ExampleTimeout_Release() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))
	defer tm.StopAll()
	pool := sync.Pool{New: func() any { return new(session) }}

	for _, user := range []string{"ann", "bob", "eve"} {
		s := pool.Get().(*session)
		s.user = user
		s.idle.InitFunc(tm, s.expire).Reset(time.Minute)
		if user == "bob" {
			clock.Advance(time.Hour)
		}
		if s.idle.Release() { // otherwise its task runs, and still uses s
			*s = session{}
			pool.Put(s)
		}
	}
	// Output: bob was idle for a minute
}

// With the time package, if !t.Stop() { <-done } waits for a task that has begun. Here the whole Timer may be stopped
// or full: then t.Stop returns false although the task never runs. So also check the State.
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
	tm.StopAll()
	stopAndWait(tm.AfterFunc(time.Hour, func() {})) // refused: there is nothing to wait for
	// Output: saved
}

// StopAll returns the pending timeouts, for instance to run their tasks now. A Series ends.
func ExampleTimer_StopAll() {
	tm := hashedwheel.MustNew()
	tm.AfterFunc(time.Hour, func() { fmt.Println("flushed") })

	tm.Every(time.Hour, func(*hashedwheel.Series) {})
	for _, to := range tm.StopAll() {
		to.Task().Run(to)
	}
	// Output: flushed
}

// A test ends by printing the timeouts that it has not stopped.
func ExampleTimer_StopAll_forgotten() {
	clock := hashedwheel.NewManualClock(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))

	tm.AfterFunc(time.Hour, func() {}).Stop()
	tm.AfterFunc(time.Hour, sendReminder)
	for _, to := range tm.StopAll() { // in a test: in t.Cleanup, by t.Error
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

// At most two of the five tasks run at once. The others wait, but the channel of After is on time.
func ExampleLimit() {
	tm := hashedwheel.MustNew(hashedwheel.WithExecutor(hashedwheel.Limit(2)))
	defer tm.StopAll()

	begun, finish := make(chan int, 5), make(chan struct{})
	for range cap(begun) {
		tm.AfterFunc(time.Millisecond, func() {
			begun <- 1
			<-finish
		})
	}
	<-tm.After(100 * time.Millisecond)
	fmt.Println(len(begun), "have begun")

	close(finish)
	_, err := tm.Shutdown(context.Background()) // waits for all five
	fmt.Println(len(begun), "have begun", err)
	// Output:
	// 2 have begun
	// 5 have begun <nil>
}

// A test advances a ManualClock instead of sleeping. Advance stops at each time at which a timeout is due.
func ExampleManualClock() {
	start := time.Now()
	clock := hashedwheel.NewManualClock(start)
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()

	for _, d := range []time.Duration{time.Hour, time.Second, time.Minute} {
		tm.AfterFunc(d, func() { fmt.Println(clock.Now().Sub(start)) })
	}
	clock.Advance(24 * time.Hour)
	// Output:
	// 1s
	// 1m0s
	// 1h0m0s
}

// A server refuses load before it runs out of memory. The bound refuses only calls that return an error.
func ExampleWithMaxPending() {
	tm := hashedwheel.MustNew(hashedwheel.WithMaxPending(2))
	defer tm.StopAll()

	var leases [3]hashedwheel.Timeout
	for i := range leases {
		err := leases[i].InitFunc(tm, func() {}).Arm(time.Hour)
		fmt.Println(leases[i].State(), err)
	}
	// Output:
	// Pending <nil>
	// Pending <nil>
	// Rejected hashedwheel: too many pending timeouts
}
