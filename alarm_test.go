package hashedwheel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// setWakers returns the wakers that are set, while nobody is the worker.
func (a *alarm) setWakers(t *testing.T) (set []tick) {
	w := a.load()
	require.Equal(t, alarmAsleep, w.status())
	for _, b := range a.waker.(*wakers).all {
		if b.tick != 0 {
			set = append(set, b.tick)
		}
	}
	require.True(t, a.cas(w, w)) // happens before the next run of the worker
	return set
}

// A waker fires while a producer is the worker and wants the waker for an earlier time: it must be set again.
func TestAlarmThatRingsWhileAProducerIsTheWorkerIsSetAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm, ran := MustNew(), false
		defer tm.Stop()
		tm.AfterFunc(linger+10*time.Millisecond, func() { ran = true })
		time.Sleep(linger)
		synctest.Wait() // it is filed, and due before the queue
		a, seen := &tm.alarm, tm.time.thisTick()
		require.True(t, a.lower(int64(time.Hour)))
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, alarmWoken, a.load().status())
		a.rest(seen, a.wakesAt())
		require.Equal(t, alarmAsleep, a.load().status())
		time.Sleep(time.Nanosecond)
		synctest.Wait()
		assert.True(t, ran)
	})
}

// The goroutine that is the worker when the timer is stopped leaves no waker set.
func TestAlarmIsNotSetOnceItHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew()
		tm.AfterFunc(time.Hour, func() {})
		a := &tm.alarm
		require.True(t, a.lower(0))
		tm.Stop()
		a.rest(0, 1)
		for _, b := range a.waker.(*wakers).all {
			assert.False(t, b.timer.Stop(), "it was set")
		}
		assert.False(t, a.lower(0))
		assert.False(t, a.answer())
	})
}

// If a producer loses its processor before it has set the alarm, Stats shows the lateness of timeouts.
func TestLatenessWhileTheProducerThatMustSetTheAlarmIsStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew()
		defer tm.Stop()
		a, tick := &tm.alarm, tm.time.thisTick()
		require.True(t, a.lower(0))
		tm.AfterFunc(10*time.Millisecond, func() {})
		time.Sleep(300 * time.Millisecond)
		a.rest(tick, noTick)
		time.Sleep(20 * time.Millisecond)
		assert.Equal(t, 290*time.Millisecond+1, tm.Stats().LatenessSum)
	})
}

// When a time.Timer that was Reset while it was set fires, the runtime scans all timers of its P: for milliseconds
// where a million connections have deadlines.
func TestWakersThatAreSetAreLeftAlone(t *testing.T) {
	skipIfSmall(t)
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew(WithTick(time.Millisecond))
		defer tm.Stop()
		arm := func(d time.Duration) (wakers []tick) {
			tm.AfterFunc(d, func() {})
			return tm.alarm.setWakers(t)
		}
		arm(time.Hour)
		time.Sleep(2 * linger)
		synctest.Wait()
		const hour = 36_000_000
		assert.Equal(t, []tick{hour}, tm.alarm.setWakers(t))
		assert.Equal(t, []tick{hour, 1500}, arm(time.Minute), "for the linger")
		assert.Equal(t, []tick{hour, 1500, 1200}, arm(20*time.Millisecond))
		assert.Equal(t, []tick{hour, 1500, 1200, 1100}, arm(10*time.Millisecond))
		assert.Equal(t, []tick{hour, 1500, 1200, 1100}, arm(15*time.Millisecond), "an earlier waker is set")
		assert.Equal(t, []tick{1050, 1500, 1200, 1100}, arm(5*time.Millisecond), "none is free")
		time.Sleep(2 * linger)
		synctest.Wait()
		assert.EqualValues(t, 4, tm.Stats().Expired)
		assert.Equal(t, []tick{601_000}, tm.alarm.setWakers(t), "those that have fired are free")
	})
}

// kick keeps the wakers that are set from firing, as if their goroutines waited for a processor.
func (a *alarm) kick() {
	for _, b := range a.waker.(*wakers).all {
		b.timer.Stop()
	}
}

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
				defer tm.Stop()
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
				a.wake() // the waker fires late
				assert.Equal(t, before+1, tm.Stats().Wakeups)
				assert.Equal(t, alarmAsleep, a.load().status())
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
		time.Sleep(30 * time.Millisecond)
		synctest.Wait()
		assert.False(t, isOverdue(), "nothing is pending")
		tm.AfterFunc(time.Hour, func() {})
		tm.Stop()
		assert.False(t, isOverdue())
	})
}
