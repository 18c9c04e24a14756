package hashedwheel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A goroutine arms a timeout for an hour from now. Before its push another arms the timeout for soon, the worker comes
// for that, and does not find it. Then the push must bring the worker again.
func TestPushIsAnnouncedByTheDeadlineInTheWord(t *testing.T) {
	_, tm := newGuarded()
	to := &Timeout{timer: tm, task: plainFunc(func() {})}
	setWord(to, int64(time.Hour), queued|fresh, Pending)
	to.Move(3 * time.Millisecond)
	require.True(t, tm.worker.alarm.raise(int64(3*time.Millisecond), noDue), "the worker has been there")
	tm.push(to)
	assert.Equal(t, 2*time.Millisecond, time.Duration(tm.worker.alarm.load().due()))
}

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
		wk.live()
		wk.alarm.timer.Stop() // it has rung
		require.Equal(t, rung, wk.alarm.load().status())
		wk.rest(next, next)
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
		wk.rest(1, noTick)
		assert.False(t, wk.alarm.timer.Stop(), "it was set")
		assert.False(t, wk.alarm.lower(0))
		assert.False(t, wk.alarm.take())
	})
}
