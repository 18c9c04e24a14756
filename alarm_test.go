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
		tm.AfterFunc(patience+10*time.Millisecond, func() { ran = true })
		time.Sleep(patience)
		synctest.Wait() // it is filed, and due before the queue is to be looked at again
		wk := &tm.worker
		next := wk.alarm.nextLook.Load()
		require.True(t, wk.alarm.lower(int64(time.Hour)))
		wk.ring()
		wk.alarm.timer.Stop() // it has rung
		require.Equal(t, rung, wk.alarm.load().status())
		wk.rest(wk.time.thisTick(), next, next)
		require.Equal(t, asleep, wk.alarm.load().status())
		time.Sleep(2 * time.Second)
		synctest.Wait()
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

// When a timer of package time's that was Reset to ring earlier rings, the runtime looks through all timers of its
// processor, for milliseconds where a million connections have deadlines.
func TestAlarmIsReplacedToRingEarlierAndOtherwiseLeftAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew(WithTick(time.Millisecond))
		defer tm.Stop()
		tm.AfterFunc(patience+10*time.Millisecond, func() {})
		time.Sleep(patience + 3*time.Millisecond)
		synctest.Wait() // it is filed, and the alarm set for it
		a := &tm.worker.alarm
		set := a.timer
		tm.AfterFunc(time.Hour, func() {})
		assert.Same(t, set, a.timer)
		assert.True(t, set.Reset(time.Hour), "it was set")
		tm.AfterFunc(2*time.Millisecond, func() {})
		assert.NotSame(t, set, a.timer)
		assert.False(t, set.Stop(), "it was stopped")
	})
}
