package docs

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

func poll(tm *hashedwheel.Timer, look func() bool) {
	tm.Every(time.Second, func(s *hashedwheel.Series) {
		if look() {
			s.Stop() // found: no further run
		}
	})
}

func TestPollEndsWhenItsLookSucceeds(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		looks := 0
		poll(tm, func() bool { looks++; return looks == 3 })
		pass(time.Minute)
		assert.Equal(t, 3, looks)
		assert.Zero(t, tm.Pending())
	})
}

func TestAPollEndsWithItsTimer(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		looks := 0
		poll(tm, func() bool { looks++; return false })
		pass(10 * time.Second)
		tm.Stop()
		pass(time.Minute)
		assert.Equal(t, 10, looks)
	})
}

func withPauses(ctx context.Context, tm *hashedwheel.Timer, pause time.Duration, work func()) {
	tm.Every(pause, func(s *hashedwheel.Series) {
		if ctx.Err() != nil {
			s.Stop()
			return
		}
		work()
		s.Reset(pause) // from now
	})
}

func TestAPauseCountsFromTheEndOfARun(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ctx, cancel := context.WithCancel(t.Context())
		var begun []time.Duration
		start := time.Now()
		withPauses(ctx, tm, 10*time.Second, func() {
			begun = append(begun, time.Since(start).Round(time.Second))
			time.Sleep(25 * time.Second)
		})
		pass(100 * time.Second)
		cancel()
		pass(time.Minute)
		assert.Equal(t, []time.Duration{10 * time.Second, 45 * time.Second, 80 * time.Second}, begun)
		assert.Zero(t, tm.Pending())
	})
}
