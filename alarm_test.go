package hashedwheel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The alarm rings while a producer has the part to set it for an earlier time: it is used up, and must be set again.
func TestAlarmThatRingsMeanwhileIsSetAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm, ran := MustNew(), false
		defer tm.Stop()
		tm.AfterFunc(time.Second, func() { ran = true })
		tm.AfterFunc(time.Hour, func() {})
		time.Sleep(100 * time.Millisecond)
		wk := &tm.worker
		next := wk.alarm.nextLook.Load()
		require.True(t, wk.alarm.lower(0))
		wk.ring()
		wk.alarm.timer.Stop() // it has rung
		require.Equal(t, rung, wk.alarm.load().status())
		wk.rest(wk.time.thisTick(), next, next)
		require.Equal(t, asleep, wk.alarm.load().status())
		time.Sleep(2 * time.Second)
		assert.True(t, ran)
	})
}

// Whoever has the part as the timer is stopped finds out, and leaves nothing set.
func TestAlarmIsNotSetOnceItHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew()
		tm.AfterFunc(time.Hour, func() {})
		wk := &tm.worker
		require.True(t, wk.alarm.lower(0))
		tm.Stop()
		wk.rest(0, 1, noTick)
		assert.False(t, wk.alarm.timer.Stop(), "it was set")
		assert.False(t, wk.alarm.lower(0))
		assert.False(t, wk.alarm.take())
	})
}

// A goroutine that has the part loses its processor before it has set the alarm: Stats shows the lateness of timeouts.
func TestLagCountsFromTheTickThatAStalledProducerMeant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew()
		defer tm.Stop()
		wk := &tm.worker
		tick := wk.time.thisTick()
		require.True(t, wk.alarm.lower(0))
		tm.AfterFunc(10*time.Millisecond, func() {})
		time.Sleep(300 * time.Millisecond)
		wk.rest(tick, noTick, noTick)
		time.Sleep(20 * time.Millisecond)
		assert.Greater(t, tm.Stats().MaxLag, 250*time.Millisecond)
	})
}
