package manual

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

var start = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func nothing() []time.Time { return nil }

func TestAdvanceStopsAtInstantsOfNextAndOfWaiters(t *testing.T) {
	var c *Clock
	var at []time.Duration
	c = New(start, func() []time.Time {
		if len(at) < 2 {
			return []time.Time{c.Now().Add(10), start.Add(1000)}
		}
		return nil
	}, func() { at = append(at, c.Now().Sub(start)) })
	bell := c.After(25)
	c.Advance(40)
	assert.Equal(t, []time.Duration{10, 20, 25, 40}, at)
	assert.Equal(t, start.Add(25), <-bell)
	assert.Equal(t, start.Add(40), c.Now())
}

func TestAdvanceDoesWhatIsDueBeforeItMoves(t *testing.T) {
	var c *Clock
	var at []time.Duration
	c = New(start, func() []time.Time {
		if len(at) == 0 {
			return []time.Time{start.Add(-time.Hour)}
		}
		return nil
	}, func() { at = append(at, c.Now().Sub(start)) })
	c.Advance(1)
	assert.Equal(t, []time.Duration{0, 1}, at)
}

func TestAdvanceInsideAPassProlongsTheAdvance(t *testing.T) {
	var c *Clock
	passes := 0
	c = New(start, nothing, func() {
		passes++
		if passes == 1 {
			c.Advance(5)
		}
	})
	c.Advance(10)
	assert.Equal(t, start.Add(15), c.Now())
}

func TestAdvanceAfterAPanicStartsFromTheTimeShown(t *testing.T) {
	var c *Clock
	fail := true
	c = New(start, nothing, func() {
		if fail {
			panic("pass")
		}
	})
	assert.Panics(t, func() { c.Advance(time.Hour) })
	assert.Equal(t, start.Add(time.Hour), c.Now())
	fail = false
	c.Advance(1)
	assert.Equal(t, start.Add(time.Hour+1), c.Now())
}
