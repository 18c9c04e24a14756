package promises

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// oddClock is a user's clock, on real time; it counts the worker's calls.
type oddClock struct {
	start  time.Time
	speed  time.Duration // its seconds for each real second
	after  time.Duration // how far it moves on while it is asked for an alarm
	alarms func(d time.Duration) <-chan time.Time

	moved        atomic.Int64
	looks, rings atomic.Int64
}

func (c *oddClock) Now() time.Time {
	c.looks.Add(1)
	return c.start.Add(c.speed*time.Since(c.start) + time.Duration(c.moved.Load()))
}

func (c *oddClock) After(d time.Duration) <-chan time.Time {
	c.rings.Add(1)
	c.moved.Add(int64(c.after))
	return c.alarms(d)
}

var oddClocks = map[string]func() *oddClock{
	"its After takes three ticks": func() *oddClock { return &oddClock{speed: 1, after: 3 * timertest.Tick, alarms: time.After} },
	"its After takes a minute":    func() *oddClock { return &oddClock{speed: 1, after: time.Minute, alarms: time.After} },
	"it runs a thousand times too fast": func() *oddClock {
		return &oddClock{speed: 1000, alarms: func(d time.Duration) <-chan time.Time { return time.After(d / 1000) }}
	},
	"it runs a thousand times too fast for its alarms": func() *oddClock { return &oddClock{speed: 1000, alarms: time.After} },
	"it runs a thousand times too fast, and its After takes a tick": func() *oddClock {
		return &oddClock{speed: 1000, after: timertest.Tick, alarms: time.After}
	},
	"it never rings": func() *oddClock {
		return &oddClock{speed: 1, alarms: func(time.Duration) <-chan time.Time { return make(chan time.Time) }}
	},
	"it has no alarm": func() *oddClock {
		return &oddClock{speed: 1, alarms: func(time.Duration) <-chan time.Time { return nil }}
	},
	"it stands still and never rings": func() *oddClock {
		return &oddClock{alarms: func(time.Duration) <-chan time.Time { return make(chan time.Time) }}
	},
}

// A worker that asked its clock until the answer suits would hear nothing else.
func TestWorkerOnAUsersClockNeitherHangsNorSpins(t *testing.T) {
	for name, made := range oddClocks {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			clock := made()
			clock.start = time.Now()
			tm := timertest.New(hashedwheel.WithClock(clock))
			for i := range 10 {
				tm.AfterFunc(time.Duration(1+i)*24*time.Hour, timertest.Nop)
				time.Sleep(20 * timertest.Tick)
			}
			assert.LessOrEqual(t, clock.rings.Load(), int64(10*(3+2)*2), "alarms: a burst wakes the worker a few times")
			assert.LessOrEqual(t, clock.looks.Load(), int64(10*(3+2)*10), "looks")

			begun := time.Now()
			ctx, end := context.WithTimeout(context.Background(), 20*time.Second)
			defer end()
			left, err := tm.Shutdown(ctx)
			assert.NoError(t, err)
			assert.Less(t, time.Since(begun), 10*time.Second) // not a minute, as some alarms are away
			assert.Equal(t, 10, len(left)+int(tm.Stats().Expired))
		})
	}
}

// Its mutex may be locked by the caller.
func TestResetAtAndStopCallNoUsersClock(t *testing.T) {
	clock := new(sleepLog)
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		at := time.Now().Add(100 * time.Hour)
		for i := range 50_000 { // parts of the queue become deep
			to := timertest.Owned(tm, timertest.NopTask)
			to.ResetAt(at)
			to.ResetAt(at.Add(-time.Hour))
			if i%2 == 0 {
				to.Stop()
			}
		}
		assert.LessOrEqual(t, clock.reads.Load(), int64(10), "the worker's")
	}, hashedwheel.WithClock(clock), hashedwheel.WithTick(time.Hour))
}
