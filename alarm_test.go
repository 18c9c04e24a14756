package hashedwheel

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// kick keeps the timers from firing, as if their goroutines waited for a processor, and reports whether one was set.
func (a *alarm) kick() (wasSet bool) {
	for i := range a.wakers {
		wasSet = a.wakers[i].Stop() || wasSet
	}
	return wasSet
}

// On a busy server the goroutine that the timer starts may wait for a second. Then a caller that reads the clock wakes
// the worker.
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
				tm.AfterFunc(time.Duration(linger+10*ms), func() { ran++ })
				time.Sleep(time.Duration(linger + 2*ms))
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

func TestCallerWakesNoWorkerDuringAPassOrAfterStopAll(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew(WithExecutor(Inline{}))
		isOverdue := func() bool { return tm.alarm.overdue.Load() != notSet }
		assert.False(t, isOverdue(), "nothing is pending")
		tm.AfterFunc(10*time.Millisecond, func() {
			time.Sleep(10 * time.Millisecond)
			assert.False(t, isOverdue())
		})
		assert.True(t, isOverdue())
		time.Sleep(time.Duration(2 * linger))
		synctest.Wait()
		assert.False(t, isOverdue(), "nothing is pending")
		tm.AfterFunc(time.Hour, func() {})
		tm.StopAll()
		assert.False(t, isOverdue())
	})
}

// A goroutine that loses its processor sets the timer late, but for the latest word.
func TestTimerIsSetForTheLatestWordByWhoeverSetsIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, woken := NewManualClock(time.Now()), 0
		a := &alarm{time: &timeline{start: c.Now(), tick: ms}}
		a.init(a.time, nil, func() { woken++ })
		a.time.manual = c
		c.mu.Lock() // the first to set the timer waits as it reads the clock
		go a.by(40*ms, 0)
		for a.overdue.Load() == notSet {
			runtime.Gosched()
		}
		a.by(10*ms, 0) // does not wait
		assert.Equal(t, 10*ms+overdueAfter, a.overdue.Load(), "callers wake the worker if the first takes long")
		c.mu.Unlock()
		time.Sleep(10 * time.Millisecond)
		synctest.Wait()
		assert.Equal(t, 1, woken)
		a.precise.close()
	})
}

// A timer that is moved makes the runtime scan all timers of its P.
func TestNoTimerIsMovedWhileAnotherIsFree(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew()
		defer tm.StopAll()
		for i := range 6 {
			tm.alarm.by(int64(40-5*i)*ms, 0)
			n := 0
			for k := range tm.alarm.wakers {
				if tm.alarm.wakers[k].at.Load() != notSet {
					n++
				}
			}
			assert.Equal(t, min(i+1, len(tm.alarm.wakers)), n)
		}
	})
}

func TestTimerIsNotSetOnceItHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew()
		tm.AfterFunc(time.Hour, func() {})
		tm.StopAll()
		a := &tm.alarm
		assert.False(t, a.kick(), "one was set")
		a.expect(0)
		assert.False(t, a.kick(), "one was set")
		assert.False(t, a.begin(maxDeadline-1))
	})
}

func TestRunPutOffAfterItsTimerWasSetIsNotLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm, ran := MustNew(WithTick(time.Millisecond)), false
		defer tm.StopAll()
		tm.AfterFunc(1300*time.Microsecond, func() { ran = true })
		tm.alarm.allowed.Store(2 * ms) // begin
		time.Sleep(2 * time.Millisecond)
		synctest.Wait()
		assert.True(t, ran)
	})
}

func TestNothingIsOverdueBeforeAWokenWorkerHasBegun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew()
		defer tm.StopAll()
		time.Sleep(time.Minute)
		new(Timeout).InitFunc(tm, func() {}).ResetAt(tm.time.start)
		tm.worker.calls.Add(1) // wake
		assert.Zero(t, tm.Stats().Overdue)
		tm.worker.calls.Add(-1)
	})
}
