package hashedwheel_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
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

// retry is a Task that is tried again, ever later, until it succeeds.
type retry struct {
	try   func() error
	delay time.Duration
}

func (r *retry) Run(to *hashedwheel.Timeout) {
	if err := r.try(); err != nil {
		r.delay *= 2
		fmt.Printf("%v: again in %v\n", err, r.delay)
		to.Reset(r.delay)
	}
}

// A Task gets its Timeout, so that it can arm itself again.
func ExampleTask() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()

	tries := 0
	connect := func() error {
		if tries++; tries < 3 {
			return errors.New("connection refused")
		}
		fmt.Println("connected")
		return nil
	}
	_, err := tm.Schedule(0, &retry{try: connect, delay: time.Second})
	if err != nil {
		fmt.Println(err)
	}
	clock.Advance(time.Minute)
	// Output:
	// connection refused: again in 2s
	// connection refused: again in 4s
	// connected
}

// A function is a Task. One that resets its Timeout is a heartbeat.
func ExampleTaskFunc() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()

	var beat hashedwheel.Timeout
	beat.Init(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
		fmt.Println("beat")
		to.Reset(10 * time.Second)
	}))
	beat.Reset(10 * time.Second)
	clock.Advance(30 * time.Second)
	// Output:
	// beat
	// beat
	// beat
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

// A WaitGroup is an Executor as it is: it knows when all tasks are done.
func ExampleExecutor() {
	var tasks sync.WaitGroup
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(&tasks))
	defer tm.Stop()

	var answer int
	tm.AfterFunc(time.Second, func() { answer = 42 })
	clock.Advance(time.Second)
	tasks.Wait()
	fmt.Println(answer)
	// Output: 42
}

// An Executor that bounds how many tasks run at once. While all places are
// taken it holds the worker up, and so whatever else is due.
func ExampleExecutorFunc() {
	places := make(chan struct{}, 8)
	bounded := hashedwheel.ExecutorFunc(func(f func()) {
		places <- struct{}{}
		go func() {
			defer func() { <-places }()
			f()
		}()
	})
	tm := hashedwheel.MustNew(hashedwheel.WithExecutor(bounded), hashedwheel.WithTick(time.Millisecond))
	defer tm.Stop()

	done := make(chan int)
	for range 100 {
		tm.AfterFunc(time.Millisecond, func() { done <- 1 })
	}
	sum := 0
	for range 100 {
		sum += <-done
	}
	fmt.Println(sum)
	// Output: 100
}

// Inline runs tasks on the worker, the cheapest way for those that return at once.
// One that outlasts a tick finishes beside the next, so what they share needs a
// lock or an atomic as ever.
func ExampleInline() {
	tm := hashedwheel.MustNew(hashedwheel.WithExecutor(hashedwheel.Inline{}), hashedwheel.WithTick(time.Millisecond))
	defer tm.Stop()

	var count atomic.Int64
	done := make(chan struct{})
	for range 1000 {
		tm.AfterFunc(time.Millisecond, func() {
			if count.Add(1) == 1000 {
				close(done)
			}
		})
	}
	<-done
	fmt.Println(count.Load())
	// Output: 1000
}

// wallClock follows the wall clock, steps and all: strip the monotonic reading.
type wallClock struct{}

func (wallClock) Now() time.Time                         { return time.Now().Round(0) }
func (wallClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// A Clock of one's own needs two methods.
func ExampleClock() {
	tm := hashedwheel.MustNew(hashedwheel.WithClock(wallClock{}), hashedwheel.WithTick(time.Millisecond))
	defer tm.Stop()

	done := make(chan struct{})
	tm.AfterFunc(time.Millisecond, func() { close(done) })
	<-done
	fmt.Println("done")
	// Output: done
}

// A test on a ManualClock waits for nothing and always sees the same.
func ExampleManualClock() {
	clock := hashedwheel.NewManualClock(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()

	tm.AfterFunc(24*time.Hour, func() { fmt.Println(clock.Now().Format(time.DateTime)) })
	clock.Advance(24 * time.Hour)
	// Output: 2025-01-02 00:00:00
}

// Advance stops wherever something is due.
func ExampleManualClock_Advance() {
	start := time.Now()
	clock := hashedwheel.NewManualClock(start)
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()

	for _, d := range []time.Duration{time.Hour, time.Second, time.Minute} {
		tm.AfterFunc(d, func() { fmt.Println(clock.Now().Sub(start)) })
	}
	clock.Advance(24 * time.Hour)
	// Output:
	// 1s
	// 1m0s
	// 1h0m0s
}

func ExampleStats() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))
	defer tm.Stop()

	for i := range 10 {
		to := tm.AfterFunc(time.Duration(1+i)*time.Second, func() {})
		if i >= 7 {
			to.Stop()
		}
	}
	clock.Advance(5 * time.Second)
	s := tm.Stats()
	fmt.Println(s.Pending, "pending,", s.Expired, "expired,", s.Cancelled, "cancelled")
	// Output: 2 pending, 5 expired, 3 cancelled
}

// Options are plain values: they can be kept, listed and passed on.
func ExampleOption() {
	clock := hashedwheel.NewManualClock(time.Now())
	forTests := []hashedwheel.Option{
		hashedwheel.WithClock(clock),
		hashedwheel.WithExecutor(hashedwheel.Inline{}),
	}
	tm := hashedwheel.MustNew(append(forTests, hashedwheel.WithTick(time.Second))...)
	defer tm.Stop()

	tm.AfterFunc(time.Millisecond, func() { fmt.Println("rounded up to the tick of a second") })
	clock.Advance(time.Second)
	// Output: rounded up to the tick of a second
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

func ExampleWithPanicHandler() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(
		hashedwheel.WithClock(clock),
		hashedwheel.WithExecutor(hashedwheel.Inline{}),
		hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, recovered any) {
			fmt.Println("a task panicked:", recovered)
		}),
	)
	defer tm.Stop()

	tm.AfterFunc(time.Second, func() { panic("no such user") })
	clock.Advance(time.Second)
	// Output: a task panicked: no such user
}

// Tasks go to the workers of a pool.
func ExampleWithExecutor() {
	jobs := make(chan func(), 100)
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for job := range jobs {
				job()
			}
		})
	}
	pool := hashedwheel.ExecutorFunc(func(f func()) { jobs <- f })
	tm := hashedwheel.MustNew(hashedwheel.WithExecutor(pool), hashedwheel.WithTick(time.Millisecond))

	done := make(chan struct{})
	tm.AfterFunc(time.Millisecond, func() { close(done) })
	<-done
	_, _ = tm.Shutdown(context.Background()) // then nothing is put into the pool any more
	close(jobs)
	workers.Wait()
	fmt.Println("done")
	// Output: done
}

// A server with a bound sheds load rather than memory.
func ExampleWithMaxPending() {
	tm := hashedwheel.MustNew(hashedwheel.WithMaxPending(2))
	defer tm.Stop()

	for range 3 {
		_, err := tm.Schedule(time.Hour, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
		fmt.Println(err)
	}
	// Output:
	// <nil>
	// <nil>
	// hashedwheel: too many pending timeouts
}
