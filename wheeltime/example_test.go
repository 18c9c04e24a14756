package wheeltime_test

import (
	"errors"
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// A deadline for a reply.
func Example() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	defer tm.StopAll()

	reply := make(chan string)
	t := wheeltime.NewTimer(tm, 20*time.Millisecond)
	defer t.Stop()
	select {
	case r := <-reply:
		fmt.Println(r)
	case <-t.C:
		fmt.Println("no reply")
	}
	// Output: no reply
}

// One Timer serves a whole loop. Its channel need not be drained before a Reset, even if the Timer
// fires while Reset runs.
func ExampleTimer_Reset() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	defer tm.StopAll()

	messages := make(chan int, 3)
	for i := range 3 {
		messages <- i
	}
	const idle = 300 * time.Millisecond
	t := wheeltime.NewTimer(tm, idle)
	for {
		select {
		case m := <-messages:
			fmt.Println("message", m)
			t.Reset(idle)
		case <-t.C:
			fmt.Println("idle")
			return
		}
	}
	// Output:
	// message 0
	// message 1
	// message 2
	// idle
}

func ExampleTicker() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	defer tm.StopAll()

	start := time.Now()
	ticker := wheeltime.NewTicker(tm, 10*time.Millisecond)
	defer ticker.Stop()
	for range 3 {
		<-ticker.C
	}
	fmt.Println("three ticks in 30ms or more:", time.Since(start) >= 30*time.Millisecond)
	// Output: three ticks in 30ms or more: true
}

// Code that takes a clock as an interface runs on the time package in one program and on a wheel in another.
func ExampleClock() {
	type clock interface {
		Sleep(d time.Duration)
		Since(t time.Time) time.Duration
		Now() time.Time
	}
	retry := func(c clock, attempt func() error) (attempts int, took time.Duration) {
		start := c.Now()
		for attempts = 1; attempt() != nil; attempts++ {
			c.Sleep(5 * time.Millisecond)
		}
		return attempts, c.Since(start)
	}

	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	defer tm.StopAll()
	failures := 3
	attempts, took := retry(wheeltime.NewClock(tm), func() error {
		if failures--; failures >= 0 {
			return errors.New("not yet")
		}
		return nil
	})
	fmt.Println(attempts, "attempts, in 15ms or more:", took >= 15*time.Millisecond)
	// Output: 4 attempts, in 15ms or more: true
}
