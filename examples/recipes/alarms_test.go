package recipes_test

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

// alarms returns the problems of tm since the last call, and the Stats to give to the next call. late is the lateness
// that tasks may have, at least two ticks.
func alarms(
	tm *hashedwheel.Timer, last hashedwheel.Stats, late time.Duration,
) (now hashedwheel.Stats, reasons []string) {
	now = tm.Stats()
	check := func(isWrong bool, format string, args ...any) {
		if isWrong {
			reasons = append(reasons, fmt.Sprintf(format, args...))
		}
	}
	check(now.Overdue > late, "the worker is late: a timeout is overdue by %v", now.Overdue)
	n := laterThan(late, now) - laterThan(late, last)
	check(100*n > now.Expired-last.Expired, "%d tasks were dispatched more than %v late", n, late)
	check(now.Rejected > last.Rejected, "%d timeouts were refused", now.Rejected-last.Rejected)
	check(now.Panics > last.Panics, "%d tasks panicked", now.Panics-last.Panics)
	isNearlyFull := 10*now.Pending > 9*now.MaxPending && now.MaxPending > 0
	check(isNearlyFull, "%d of %d timeouts are pending", now.Pending, now.MaxPending)
	return now, reasons
}

// laterThan returns the number of tasks that were dispatched later than late. It skips the bucket that includes late.
func laterThan(late time.Duration, s hashedwheel.Stats) (n uint64) {
	from := time.Duration(0)
	for _, b := range s.Lateness {
		if from >= late {
			n += b.Count
		}
		from = b.UpTo
	}
	return n
}

// Copy alarms and laterThan, and call alarms once a minute.
func Example_alarms() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(
		hashedwheel.WithClock(clock),
		hashedwheel.WithExecutor(hashedwheel.Inline{}),
		hashedwheel.WithMaxPending(10),
		hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}), // log it here
	)
	defer tm.StopAll()

	tm.AfterFunc(time.Second, func() { panic("no such user") })
	clock.Advance(time.Second)
	for range 11 {
		_, _ = tm.Schedule(time.Hour, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {})) // the last is refused
	}
	last, reasons := alarms(tm, hashedwheel.Stats{}, 20*time.Millisecond)
	for _, reason := range reasons {
		fmt.Println(reason)
	}
	clock.Advance(time.Hour)
	_, reasons = alarms(tm, last, 20*time.Millisecond)
	fmt.Println(len(reasons), "new reasons")
	// Output:
	// 1 timeouts were refused
	// 1 tasks panicked
	// 10 of 10 timeouts are pending
	// 0 new reasons
}

func TestLaterThanCountsTheBucketsThatBeginLater(t *testing.T) {
	s := hashedwheel.Stats{Lateness: []hashedwheel.LatenessBucket{
		{UpTo: 12800 * time.Microsecond, Count: 8},
		{UpTo: 25600 * time.Microsecond, Count: 4}, // perhaps 15 ms late
		{UpTo: 51200 * time.Microsecond, Count: 1},
		{UpTo: math.MaxInt64, Count: 2},
	}}
	assert.EqualValues(t, 3, laterThan(20*time.Millisecond, s))
	assert.EqualValues(t, 7, laterThan(12800*time.Microsecond, s))
}
