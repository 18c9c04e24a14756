package series_test

import (
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestRecurPassesThePanicOfItsSchedulerOn(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		s := schedule(func(time.Time) time.Time { panic("on purpose") })
		assert.PanicsWithValue(t, "on purpose", func() { tm.Recur(s, nop) })
		assert.Zero(t, tm.Pending())
	})
}

// A Scheduler that fails does not say when to go on: only that series ends.
func TestRecurEndsWhenItsSchedulerFails(t *testing.T) {
	for way, fail := range failures {
		t.Run(way, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
				log, other, calls := new(timertest.RunLog), new(timertest.RunLog), 0
				s := tm.Recur(schedule(func(now time.Time) time.Time {
					if calls++; calls == 3 {
						fail()
					}
					return now.Add(aPeriod)
				}), noted(log))
				tm.Every(aPeriod, noted(other))
				timertest.Pass(10 * aPeriod)
				assert.Equal(t, 1, log.Count(), "the run that it failed for does not begin")
				assert.GreaterOrEqual(t, other.Count(), 9)
				assert.True(t, ended(s))
				assert.Equal(t, 1, tm.Pending())
				assert.False(t, s.Reset(tick), "Reset begins it again")
				timertest.Pass(2*aPeriod + aPeriod/2 + tick)
				assert.GreaterOrEqual(t, log.Count(), 3)
			}, swallow)
		})
	}
}

// The third call of Next is for a run that was due while the first was running.
func TestRecurBeginsAgainAfterItsSchedulerFailedForARunThatWasLeftOut(t *testing.T) {
	for way, fail := range failures {
		t.Run(way, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
				log, calls := new(timertest.RunLog), 0
				s := tm.Recur(schedule(func(now time.Time) time.Time {
					if calls++; calls == 3 {
						fail()
					}
					return now.Add(aPeriod)
				}), func(*hashedwheel.Series) {
					if log.Note(); log.Count() == 1 {
						time.Sleep(2 * aPeriod)
					}
				})
				timertest.Pass(10 * aPeriod)
				assert.Equal(t, 1, log.Count())
				assert.Equal(t, 3, calls)
				assert.True(t, ended(s))
				s.Reset(tick)
				timertest.Pass(2*aPeriod + aPeriod/2)
				assert.GreaterOrEqual(t, log.Count(), 2)
			}, swallow)
		})
	}
}

// The second call of Next is for a run, the third for one that is left out. A series that a Reset
// has begun by then does not end.
func TestRecurKeepsTheRunOfAResetBeforeNextReturnedTheZeroTime(t *testing.T) {
	for last, when := range map[int]string{2: "for a run", 3: "for a run that is left out"} {
		t.Run(when, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				log, calls := new(timertest.RunLog), 0
				var s atomic.Pointer[hashedwheel.Series]
				s.Store(tm.Recur(schedule(func(now time.Time) time.Time {
					if calls++; calls < last {
						return now.Add(aPeriod)
					}
					if calls == last {
						assert.True(t, s.Load().Reset(time.Hour))
					}
					return time.Time{}
				}), func(*hashedwheel.Series) {
					if log.Note(); log.Count() < last-1 {
						time.Sleep(2 * aPeriod)
					}
				}))
				timertest.Pass(10 * aPeriod)
				assert.Equal(t, last-2, log.Count(), "the next was moved")
				assert.False(t, ended(s.Load()))
				timertest.Pass(time.Hour)
				assert.Equal(t, last-1, log.Count())
				assert.True(t, ended(s.Load()))
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

// Next takes longer than a run is away from the next, and f longer than that.
func TestRecurNeverCallsNextTwiceAtTheSameTime(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
		var inside, calls atomic.Int64
		slow := schedule(func(now time.Time) time.Time {
			assert.Equal(t, int64(1), inside.Add(1))
			defer inside.Add(-1)
			calls.Add(1)
			time.Sleep(3 * aPeriod)
			return now.Add(aPeriod)
		})
		s := tm.Recur(slow, func(*hashedwheel.Series) { time.Sleep(10 * aPeriod) })
		for range 20 {
			timertest.Pass(5 * aPeriod)
			s.Reset(tick) // a run, although the Scheduler may be asked for another
		}
		assert.Greater(t, calls.Load(), int64(5))
		s.Stop()
		timertest.Pass(40 * aPeriod)
	})
}

// Next returns a time, ends the series or fails after that. The run that the Reset armed takes place in each case.
func TestRecurRunsOnceForAResetThatIsDueDuringNext(t *testing.T) {
	for way, end := range map[string]func() time.Time{
		"returns": func() time.Time { return time.Now().Add(time.Hour) },
		"ends":    func() time.Time { return time.Time{} },
		"panics":  func() time.Time { panic("on purpose") },
		"exits":   func() time.Time { runtime.Goexit(); return time.Time{} },
	} {
		t.Run(way, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				s, log := &slowScheduler{end: end}, new(timertest.RunLog)
				s.series.Store(tm.Recur(s, noted(log)))
				timertest.Pass(time.Hour + 10*tick)
				require.GreaterOrEqual(t, s.asked, 2)
				assert.Equal(t, 1, log.Count())
				assert.False(t, ended(s.series.Load()))
			}, swallow)
		})
	}
}

// slowScheduler gives each hour from now. When it is asked for the second time it
// resets the series, and takes so long that this comes due.
type slowScheduler struct {
	asked  int
	end    func() time.Time // of that call
	series atomic.Pointer[hashedwheel.Series]
}

func (s *slowScheduler) Next(now time.Time) time.Time {
	if s.asked++; s.asked == 2 {
		s.series.Load().Reset(0)
		time.Sleep(3 * tick)
		return s.end()
	}
	return now.Add(time.Hour)
}
