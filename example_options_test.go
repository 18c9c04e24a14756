package hashedwheel_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A retry is a Task that arms its Timeout again until it succeeds.
type retry struct {
	try   func() error
	delay time.Duration
}

func (r *retry) Run(to *hashedwheel.Timeout) {
	if err := r.try(); err != nil {
		r.delay *= 2
		fmt.Printf("%v: again in %v\n", err, r.delay)
		to.Reset(r.delay)
		if err := to.Err(); err != nil {
			fmt.Println("given up:", err) // the timer is stopped or full
		}
	}
}

// A Task receives its Timeout and can arm it again.
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
	if _, err := tm.Schedule(0, &retry{try: connect, delay: time.Second}); err != nil {
		fmt.Println(err)
	}
	clock.Advance(time.Minute)
	// Output:
	// connection refused: again in 2s
	// connection refused: again in 4s
	// connected
}

// A sync.WaitGroup is an Executor: Wait waits for all tasks.
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

// This Executor runs at most eight tasks at once. While eight run, it blocks the worker, and other
// due timeouts wait.
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

// Inline runs tasks on the worker, one after another: the cheapest executor for tasks that return at
// once. The tasks need no lock among themselves.
func ExampleInline() {
	tm := hashedwheel.MustNew(hashedwheel.WithExecutor(hashedwheel.Inline{}), hashedwheel.WithTick(time.Millisecond))
	defer tm.Stop()

	count := 0
	done := make(chan struct{})
	for range 1000 {
		tm.AfterFunc(time.Millisecond, func() {
			if count++; count == 1000 {
				close(done)
			}
		})
	}
	<-done
	fmt.Println(count)
	// Output: 1000
}

// halfSpeed is a clock on which time passes half as fast.
type halfSpeed struct{ start time.Time }

func (c halfSpeed) Now() time.Time                         { return c.start.Add(time.Since(c.start) / 2) }
func (c halfSpeed) After(d time.Duration) <-chan time.Time { return time.After(2 * d) }

// A Clock has two methods, and never goes back.
func ExampleClock() {
	tm := hashedwheel.MustNew(hashedwheel.WithClock(halfSpeed{time.Now()}), hashedwheel.WithTick(time.Millisecond))
	defer tm.Stop()

	done := make(chan struct{})
	tm.AfterFunc(time.Millisecond, func() { close(done) })
	<-done
	fmt.Println("done")
	// Output: done
}

// A test advances a ManualClock instead of sleeping, and its result never varies.
func ExampleManualClock() {
	clock := hashedwheel.NewManualClock(time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC))
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()

	tm.AfterFunc(24*time.Hour, func() { fmt.Println(clock.Now().Format(time.DateTime)) })
	clock.Advance(24 * time.Hour)
	// Output: 2025-01-02 00:00:00
}

// Advance stops at each time at which a timeout is due.
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

// The goroutines of a pool run the tasks.
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
	_, _ = tm.Shutdown(context.Background()) // after it, no task enters the pool
	close(jobs)
	workers.Wait()
	fmt.Println("done")
	// Output: done
}

// A server refuses load before it runs out of memory.
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
