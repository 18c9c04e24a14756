package hashedwheel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// calendar is a Scheduler that notes the times it gets.
type calendar struct{ got []time.Time }

func (c *calendar) Next(now time.Time) time.Time {
	c.got = append(c.got, now)
	return time.Time{}
}

// The system's wall clock is set an hour ahead after New. A Scheduler must get the time that it shows now.
func TestRecurReadsTheWallClockAndNowDoesNot(t *testing.T) {
	tm, set, c := MustNew(), time.Now().Add(time.Hour), new(calendar)
	defer tm.StopAll()
	tm.time.clock = setClock{set}
	assert.Less(t, tm.Now().Sub(tm.time.start), time.Minute)
	tm.Recur(c, func(*Series) {})
	assert.Equal(t, []time.Time{set}, c.got)
}

// setClock stands in for the system's clock after it was set.
type setClock struct{ at time.Time }

func (c setClock) Now() time.Time                     { return c.at }
func (setClock) After(time.Duration) <-chan time.Time { return nil }
