package hashedwheel_test

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A heartbeat, until the peer has hung up. The runs are due on a fixed grid,
// which a slow one does not shift.
func ExampleTimer_Every() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()

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

// The function is handed its series, so it can end it.
func ExampleTimer_Every_stopFromInside() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()

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

// A poll that slows down as long as there is nothing to fetch.
func ExampleSeries_Reset() {
	start := time.Now()
	clock := hashedwheel.NewManualClock(start)
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()

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

// daily is due at the same time of each day, by the calendar: a day may have 23
// hours, or 25.
type daily struct{ hour, minute int }

func (d daily) Next(now time.Time) time.Time {
	next := time.Date(now.Year(), now.Month(), now.Day(), d.hour, d.minute, 0, 0, now.Location())
	if !next.After(now) {
		next = time.Date(now.Year(), now.Month(), now.Day()+1, d.hour, d.minute, 0, 0, now.Location())
	}
	return next
}

// A Scheduler may follow the calendar. So do those of robfig/cron, which are
// Schedulers as they are.
func ExampleTimer_Recur() {
	start := time.Date(2025, time.December, 30, 22, 0, 0, 0, time.UTC)
	clock := hashedwheel.NewManualClock(start)
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()

	tm.Recur(daily{hour: 3, minute: 30}, func(*hashedwheel.Series) { fmt.Println("backup,", clock.Now().Format(time.DateTime)) })
	clock.Advance(3 * 24 * time.Hour)
	// Output:
	// backup, 2025-12-31 03:30:00
	// backup, 2026-01-01 03:30:00
	// backup, 2026-01-02 03:30:00
}

// backoff waits twice as long each time, and gives up after a number of times.
type backoff struct {
	delay time.Duration
	left  int
}

func (b *backoff) Next(now time.Time) time.Time {
	if b.left == 0 {
		return time.Time{} // the end
	}
	b.left--
	next := now.Add(b.delay)
	b.delay *= 2
	return next
}

// The zero time ends the series.
func ExampleScheduler() {
	start := time.Now()
	clock := hashedwheel.NewManualClock(start)
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()

	tries := tm.Recur(&backoff{delay: time.Second, left: 4}, func(*hashedwheel.Series) {
		fmt.Println("try after", clock.Now().Sub(start).Round(time.Second))
	})
	clock.Advance(time.Hour)
	fmt.Println("ended:", tries.Next().IsZero())
	// Output:
	// try after 1s
	// try after 3s
	// try after 7s
	// try after 15s
	// ended: true
}

// A deadline for a select: there is nothing to stop when the reply comes first.
func ExampleTimer_After() {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	defer tm.Stop()

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

// All who wait for the same tick share one channel, and Stop releases them.
func ExampleTimer_After_stop() {
	clock := hashedwheel.NewManualClock(time.Now())
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))

	a, b := tm.After(time.Hour), tm.After(time.Hour)
	fmt.Println(a == b, tm.Pending())
	tm.Stop()
	<-a
	<-tm.After(time.Hour) // later calls do not wait either
	// Output: true 1
}
