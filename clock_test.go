package hashedwheel

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// newTimelineAt returns a timeline with a tick of 10ns, ns after its start.
func newTimelineAt(ns int64) *timeline {
	clock := NewManualClock(time.Unix(0, 0))
	tl := newTimeline(clock, 10)
	clock.Advance(time.Duration(ns))
	return &tl
}

func TestDeadlineIsBetweenNowAndNever(t *testing.T) {
	for _, row := range []struct {
		now  int64
		d    time.Duration
		want int64
	}{
		{100, 0, 100},
		{100, 7, 107},
		{100, -1, 100},
		{100, math.MinInt64, 100},
		{100, maxDeadline - 101, maxDeadline - 1},
		{100, maxDeadline - 100, maxDeadline},
		{100, maxDeadline, maxDeadline},
		{100, math.MaxInt64, maxDeadline},
		{0, math.MaxInt64, maxDeadline},
	} {
		assert.Equal(t, row.want, newTimelineAt(row.now).deadline(row.now, row.d), "%d from %d", row.d, row.now)
	}
}

func TestNowIsAlwaysBeforeMaxDeadline(t *testing.T) {
	assert.Equal(t, int64(maxDeadline-1), newTimelineAt(math.MaxInt64).now())
}

// calendar is a Scheduler that notes the times it gets.
type calendar struct{ got []time.Time }

func (c *calendar) Next(now time.Time) time.Time {
	c.got = append(c.got, now)
	return time.Time{}
}

// The system's wall clock is set an hour ahead after New. A Scheduler must get the time that it shows
// now.
func TestRecurReadsTheWallClockAndNowDoesNot(t *testing.T) {
	tm, set, c := MustNew(), time.Now().Add(time.Hour), new(calendar)
	defer tm.Stop()
	tm.time.clock = setClock{set}
	assert.Less(t, tm.Now().Sub(tm.time.start), time.Minute)
	tm.Recur(c, func(*Series) {})
	assert.Equal(t, []time.Time{set}, c.got)
}

// setClock stands for the system's clock after it was set.
type setClock struct{ at time.Time }

func (c setClock) Now() time.Time                     { return c.at }
func (setClock) After(time.Duration) <-chan time.Time { return nil }
