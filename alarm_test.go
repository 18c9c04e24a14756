package hashedwheel

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// setBells returns the bells that are set, while nobody is the worker.
func (a *alarm) setBells(t *testing.T) (set []tick) {
	w := a.load()
	require.Equal(t, asleep, w.status())
	for _, b := range a.bell.(*bells).all {
		if b.tick != 0 {
			set = append(set, b.tick)
		}
	}
	require.True(t, a.cas(w, w)) // happens before the worker comes
	return set
}

// A bell rings while a producer that is to set it for an earlier time is the worker: it is used up, and must be set
// again.
func TestAlarmThatRingsWhileAProducerIsTheWorkerIsSetAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm, ran := MustNew(), false
		defer tm.Stop()
		tm.AfterFunc(patience+10*time.Millisecond, func() { ran = true })
		time.Sleep(patience)
		synctest.Wait() // it is filed, and due before the queue is to be looked at again
		a, seen := &tm.alarm, tm.time.thisTick()
		require.True(t, a.lower(int64(time.Hour)))
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		require.Equal(t, rung, a.load().status())
		a.rest(seen, a.looksAt())
		require.Equal(t, asleep, a.load().status())
		synctest.Wait()
		assert.True(t, ran)
	})
}

// Whoever is the worker as the timer is stopped finds out, and leaves nothing set.
func TestAlarmIsNotSetOnceItHasEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew()
		tm.AfterFunc(time.Hour, func() {})
		a := &tm.alarm
		require.True(t, a.lower(0))
		tm.Stop()
		a.rest(0, 1)
		for _, b := range a.bell.(*bells).all {
			assert.False(t, b.timer.Stop(), "it was set")
		}
		assert.False(t, a.lower(0))
		assert.False(t, a.answer())
	})
}

// A goroutine loses its processor before it has set the alarm: Stats shows the lateness of timeouts.
func TestLatenessWhileAProducerThatIsToSetTheAlarmIsStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew()
		defer tm.Stop()
		a, tick := &tm.alarm, tm.time.thisTick()
		require.True(t, a.lower(0))
		tm.AfterFunc(10*time.Millisecond, func() {})
		time.Sleep(300 * time.Millisecond)
		a.rest(tick, noTick)
		time.Sleep(20 * time.Millisecond)
		assert.Equal(t, 290*time.Millisecond, tm.Stats().LatenessSum)
	})
}

// When a timer of package time's that was Reset while it was set rings, the runtime looks through all timers of its
// processor, for milliseconds where a million connections have deadlines.
func TestBellsThatAreSetAreLeftAlone(t *testing.T) {
	skipIfSmall(t)
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew(WithTick(time.Millisecond))
		defer tm.Stop()
		arm := func(d time.Duration) (bells []tick) {
			tm.AfterFunc(d, func() {})
			return tm.alarm.setBells(t)
		}
		arm(time.Hour)
		time.Sleep(2 * patience)
		synctest.Wait()
		const hour = 3_600_000
		assert.Equal(t, []tick{hour}, tm.alarm.setBells(t))
		assert.Equal(t, []tick{hour, 150}, arm(time.Minute), "for the patience")
		assert.Equal(t, []tick{hour, 150, 120}, arm(20*time.Millisecond))
		assert.Equal(t, []tick{hour, 150, 120, 110}, arm(10*time.Millisecond))
		assert.Equal(t, []tick{hour, 150, 120, 110}, arm(15*time.Millisecond), "a bell rings before")
		assert.Equal(t, []tick{105, 150, 120, 110}, arm(5*time.Millisecond), "none is free")
		time.Sleep(2 * patience)
		synctest.Wait()
		assert.EqualValues(t, 4, tm.Stats().Expired)
		assert.Equal(t, []tick{60_100}, tm.alarm.setBells(t), "those that have rung are free")
	})
}

// A bell rings for a timeout that was stopped: it is no pass, and the next bell is set.
func TestBellThatRingsTooSoonSetsTheNext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew(WithTick(time.Millisecond))
		defer tm.Stop()
		a, ran := &tm.alarm, false
		tm.AfterFunc(patience+20*time.Millisecond, func() { ran = true })
		time.Sleep(patience + 2*time.Millisecond)
		synctest.Wait() // it is filed
		before, seen := tm.Stats().Wakeups, tm.time.thisTick()
		require.True(t, a.lower(int64(time.Hour)))
		a.bell.set(seen + 5)
		a.rest(seen, a.looksAt())
		time.Sleep(6 * time.Millisecond)
		synctest.Wait()
		assert.Equal(t, before, tm.Stats().Wakeups)
		assert.Equal(t, []tick{70}, a.setBells(t))
		time.Sleep(20 * time.Millisecond)
		synctest.Wait()
		assert.True(t, ran)
	})
}

// kick has the bells that are set ring never: their goroutines wait for a processor.
func (a *alarm) kick() {
	for _, b := range a.bell.(*bells).all {
		b.timer.Stop()
	}
}

// On a busy server the goroutine of a bell may wait for a second. A caller who has read the clock rings then.
func TestCallerRingsABellThatIsOverdue(t *testing.T) {
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
				tm.AfterFunc(patience+10*time.Millisecond, func() { ran++ })
				time.Sleep(patience + 2*time.Millisecond)
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
				call(other) // one of the two rings
				synctest.Wait()
				assert.Equal(t, 1, ran)
				assert.Equal(t, before+1, tm.Stats().Wakeups)
				a.ring() // the bell, after all
				assert.Equal(t, before+1, tm.Stats().Wakeups)
				assert.Equal(t, asleep, a.load().status())
			})
		})
	}
}

func TestNobodyRingsWhileThereIsAWorkerOrAfterStop(t *testing.T) {
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
