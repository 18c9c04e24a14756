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

// Inline runs tasks on the worker, one after another: the cheapest way for those that
// return at once. So they need no lock for what only they share; the caller here does.
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
