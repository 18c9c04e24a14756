package hashedwheel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// kick keeps the timer from firing, as if its goroutine waited for a processor.
func (a *alarm) kick() { a.timer.Stop() }

// On a busy server the goroutine of a waker may wait for a second. Then a caller that reads the clock wakes the worker.
func TestCallerWakesAnOverdueWorker(t *testing.T) {
	for name, call := range map[string]func(to *Timeout){
		"Reset":     func(to *Timeout) { to.Reset(time.Hour) },
		"Move":      func(to *Timeout) { to.Move(2 * time.Hour) },
		"AfterFunc": func(to *Timeout) { to.Timer().AfterFunc(time.Hour, func() {}) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm, ran := MustNew(WithTick(time.Millisecond)), 0
				defer tm.StopAll()
				a, other := &tm.alarm, new(Timeout)
				other.InitFunc(tm, func() {})
				other.Reset(time.Hour)
				tm.AfterFunc(linger+10*time.Millisecond, func() { ran++ })
				time.Sleep(linger + 2*time.Millisecond)
				synctest.Wait() // both are filed
				a.kick()
				time.Sleep(9 * time.Millisecond)
				call(other)
				synctest.Wait()
				assert.Zero(t, ran, "it is not overdue yet")
				a.kick()
				time.Sleep(time.Millisecond)
				before := tm.Stats().Wakeups
				call(other)
				call(other) // one of the two wakes the worker
				time.Sleep(time.Nanosecond)
				synctest.Wait()
				assert.Equal(t, 1, ran)
				assert.Equal(t, before+1, tm.Stats().Wakeups)
				tm.worker.wake() // the timer fires late
				assert.Equal(t, before+1, tm.Stats().Wakeups)
			})
		})
	}
}

func TestCallerWakesNoWorkerDuringAPassOrAfterStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew(WithTick(time.Millisecond), WithExecutor(Inline{}))
		isOverdue := func() bool { return tm.alarm.overdue.Load() != notOverdue }
		assert.False(t, isOverdue(), "nothing is pending")
		tm.AfterFunc(10*time.Millisecond, func() {
			time.Sleep(10 * time.Millisecond)
			assert.False(t, isOverdue())
		})
		assert.True(t, isOverdue())
		time.Sleep(2 * linger)
		synctest.Wait()
		assert.False(t, isOverdue(), "nothing is pending")
		tm.AfterFunc(time.Hour, func() {})
		tm.StopAll()
		assert.False(t, isOverdue())
	})
}

// A producer that loses its processor between the push and the setting of the timer sets it late, but for the latest
// word.
func TestTimerIsSetForTheLatestWordByWhoeverSetsItLast(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm, ran := MustNew(), false
		defer tm.StopAll()
		a := &tm.alarm
		assert.True(t, a.lower(int64(40*time.Millisecond), 0), "it has not set the timer")
		tm.AfterFunc(10*time.Millisecond, func() { ran = true })
		a.set()
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		assert.True(t, ran)
	})
}

func TestTimerIsNotSetOnceItHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew()
		tm.AfterFunc(time.Hour, func() {})
		tm.StopAll()
		a := &tm.alarm
		assert.False(t, a.timer.Stop(), "it was set")
		a.expect(0)
		assert.False(t, a.timer.Stop(), "it was set")
		_, isDue := a.begin(noRun.next())
		assert.False(t, isDue)
	})
}
