package hashedwheel_test

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A heartbeat every ten seconds, until the peer hangs up. A slow run does not shift the next.
func ExampleTimer_Every() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()

	beat := tm.Every(10*time.Second, func(*hashedwheel.Series) { fmt.Println("beat") })
	clock.Advance(35 * time.Second)
	fmt.Println("hung up:", beat.Stop())
	clock.Advance(time.Minute)
	// Output:
	// beat
	// beat
	// beat
	// hung up: true
}

// The function receives its series, so it can end it: a poll ends once it has found something.
func ExampleTimer_Every_stopFromInside() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()

	left := 3
	countdown := tm.Every(time.Second, func(s *hashedwheel.Series) {
		fmt.Println(left)
		if left--; left == 0 {
			s.Stop()
		}
	})
	clock.Advance(time.Minute)
	fmt.Println("ended:", countdown.Next().IsZero())
	// Output:
	// 3
	// 2
	// 1
	// ended: true
}

// A poll slows down while there is nothing to fetch.
func ExampleSeries_Reset() {
	start := time.Now()
	clock := hashedwheel.NewManualClock(start)
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()

	period := time.Second
	tm.Every(period, func(s *hashedwheel.Series) {
		fmt.Println("nothing after", clock.Now().Sub(start))
		period *= 2
		s.Reset(period)
	})
	clock.Advance(20 * time.Second)
	// Output:
	// nothing after 1s
	// nothing after 3s
	// nothing after 7s
	// nothing after 15s
}

// daily is due at the same time of each day, even if the day has 23 or 25 hours.
type daily struct{ hour, minute int }

func (d daily) Next(now time.Time) time.Time {
	next := time.Date(now.Year(), now.Month(), now.Day(), d.hour, d.minute, 0, 0, now.Location())
	if !next.After(now) {
		next = time.Date(now.Year(), now.Month(), now.Day()+1, d.hour, d.minute, 0, 0, now.Location())
	}
	return next
}

// A Scheduler may follow the calendar. A Schedule of robfig/cron is a Scheduler as it is.
func ExampleTimer_Recur() {
	start := time.Date(2025, time.December, 30, 22, 0, 0, 0, time.UTC)
	clock := hashedwheel.NewManualClock(start)
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()

	tm.Recur(daily{hour: 3, minute: 30}, func(*hashedwheel.Series) {
		fmt.Println("backup,", clock.Now().Format(time.DateTime))
	})
	clock.Advance(3 * 24 * time.Hour)
	// Output:
	// backup, 2025-12-31 03:30:00
	// backup, 2026-01-01 03:30:00
	// backup, 2026-01-02 03:30:00
}

// After is a deadline for a select. If the reply comes first, there is nothing to stop.
func ExampleTimer_After() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	defer tm.StopAll()

	wait := func(reply <-chan string) {
		select {
		case r := <-reply:
			fmt.Println(r)
		case <-tm.After(20 * time.Millisecond):
			fmt.Println("no reply in time")
		}
	}
	answered := make(chan string, 1)
	answered <- "pong"
	wait(answered)
	wait(nil)
	// Output:
	// pong
	// no reply in time
}
