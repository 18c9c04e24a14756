package promises

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

const blocked = 2 * time.Second

// blockedFor calls check while a task blocks the worker for two seconds, twice a
// second, with how long another has been due by then; and returns once both have run.
func blockedFor(t *testing.T, tm *hashedwheel.Timer, check func(overdue time.Duration)) {
	t.Helper()
	tm.AfterFunc(10*timertest.Tick, func() { time.Sleep(blocked) })
	other := tm.AfterFunc(20*timertest.Tick, timertest.Nop)
	time.Sleep(15 * timertest.Tick)
	for range 4 {
		check(max(0, time.Since(other.Deadline())))
		time.Sleep(blocked / 4)
	}
	timertest.Pass(10 * timertest.Tick)
	require.Equal(t, hashedwheel.Expired, other.State())
}

// Whoever blocks the worker: an executor whose Go does not return, or a task.
var blocking = map[string]hashedwheel.Option{
	"an executor":        timertest.OnWorker,
	"a task with Inline": timertest.Inline,
}

func TestLatenessIsReportedOverdueWhileTheWorkerIsBlocked(t *testing.T) {
	for name, executor := range blocking {
		t.Run("for "+name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				blockedFor(t, tm, func(overdue time.Duration) {
					assert.InDelta(t, overdue, tm.Stats().Overdue, float64(timertest.Tick))
				})
				assert.Zero(t, tm.Stats().Overdue, "nothing waits any more")
			}, executor)
		})
	}
}

// It was armed when the worker was blocked already, and nobody has filed it.
func TestLatenessIsReportedOverdueOfTimeoutsArmedWhileTheWorkerIsBlocked(t *testing.T) {
	for name, executor := range blocking {
		t.Run("for "+name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				tm.AfterFunc(0, func() { time.Sleep(blocked) })
				time.Sleep(10 * timertest.Tick)
				other := tm.AfterFunc(10*timertest.Tick, timertest.Nop)
				time.Sleep(blocked / 2)
				overdue := time.Since(other.Deadline())
				assert.InDelta(t, overdue, tm.Stats().Overdue, float64(timertest.Tick))
				timertest.Pass(blocked)
				s := tm.Stats()
				assert.InDelta(t, blocked-20*timertest.Tick, s.MaxLag, float64(2*timertest.Tick))
				assert.Zero(t, s.Overdue)
			}, executor)
		})
	}
}

func TestLatenessIsReportedLagOfTheLastBatch(t *testing.T) {
	for name, executor := range blocking {
		t.Run("for "+name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				blockedFor(t, tm, func(time.Duration) {
					assert.Zero(t, tm.Stats().MaxLag, "no batch was handed out late yet")
				})
				late := tm.Stats()
				assert.InDelta(t, blocked-10*timertest.Tick, late.Lag, float64(timertest.Tick))
				assert.Equal(t, late.Lag, late.MaxLag)

				tm.AfterFunc(timertest.Tick, timertest.Nop)
				timertest.Pass(5 * timertest.Tick)
				s := tm.Stats()
				assert.Less(t, s.Lag, timertest.Tick, "the last one was in time")
				assert.Equal(t, late.MaxLag, s.MaxLag, "the latest one stays")
			}, executor)
		})
	}
}

// Ten tasks of a tick take 100 ms each: the last waits for the nine others.
func TestLatenessIsReportedOverdueInTheMiddleOfABatch(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const length = 100 * time.Millisecond
		ran := time.Duration(0)
		for range 10 {
			tm.AfterFunc(timertest.Tick, func() {
				if ran < 9 {
					assert.Equal(t, ran*length, tm.Stats().Overdue, "as its neighbors have waited")
				}
				ran++
				time.Sleep(length)
			})
		}
		timertest.Pass(time.Second + 10*timertest.Tick)
		assert.Equal(t, 9*length, tm.Stats().MaxLag)
	}, timertest.OnWorker)
}

// A deadline in the past counts from its arming.
func TestLatenessIsReportedNoLatenessOfADeadlineInThePast(t *testing.T) {
	past := map[string]func(tm *hashedwheel.Timer){
		"AfterFunc(-1s)": func(tm *hashedwheel.Timer) { tm.AfterFunc(-time.Second, timertest.Nop) },
		"AfterFunc(0)":   func(tm *hashedwheel.Timer) { tm.AfterFunc(0, timertest.Nop) },
		"ResetAt an hour ago": func(tm *hashedwheel.Timer) {
			timertest.Owned(tm, timertest.NopTask).ResetAt(time.Now().Add(-time.Hour))
		},
		"ResetAt the zero time": func(tm *hashedwheel.Timer) {
			timertest.Owned(tm, timertest.NopTask).ResetAt(time.Time{})
		},
		"moved to an hour ago": func(tm *hashedwheel.Timer) {
			to := tm.AfterFunc(time.Hour, timertest.Nop)
			timertest.Pass(10 * timertest.Tick)
			to.ResetAt(time.Now().Add(-time.Hour))
		},
	}
	for before, prepare := range map[string]func(tm *hashedwheel.Timer){
		"at once":                         func(*hashedwheel.Timer) {},
		"after an hour without a timeout": func(*hashedwheel.Timer) { timertest.Pass(time.Hour + timertest.Tick/3) },
		"after an hour with a far timeout": func(tm *hashedwheel.Timer) {
			tm.AfterFunc(24*time.Hour, timertest.Nop)
			timertest.Pass(time.Hour + timertest.Tick/3)
		},
		"shortly before a far timeout": func(tm *hashedwheel.Timer) {
			tm.AfterFunc(time.Hour, timertest.Nop)
			timertest.Pass(time.Hour - 50*timertest.Tick)
		},
		"while the worker keeps ticking": func(tm *hashedwheel.Timer) {
			tm.AfterFunc(24*time.Hour, timertest.Nop)
			timertest.Pass(timertest.Tick + timertest.Tick/3)
		},
	} {
		for name, arm := range past {
			for _, asked := range []bool{false, true} {
				t.Run(fmt.Sprintf("%s, %s, Stats asked=%v", name, before, asked), func(t *testing.T) {
					timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
						prepare(tm)
						arm(tm)
						if asked {
							assert.LessOrEqual(t, tm.Stats().Overdue, timertest.Tick)
						}
						timertest.Pass(2 * timertest.Tick)
						s := tm.Stats()
						assert.Equal(t, uint64(1), s.Expired)
						assert.LessOrEqual(t, s.MaxLag, timertest.Tick)
						assert.Zero(t, s.Overdue)
					})
				})
			}
		}
	}
}

// Of so many at once some are filed by their callers, before the worker comes: the wheel's current tick is an hour old.
func TestLatenessIsReportedNoLatenessOfDeadlinesInThePastThatTheirCallersFiled(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		all := make([]hashedwheel.Timeout, 50_000)
		tm.AfterFunc(timertest.Tick, timertest.Nop)
		timertest.Pass(time.Hour)
		for i := range all {
			all[i].Init(tm, timertest.NopTask)
			all[i].ResetAt(time.Now().Add(-2 * time.Hour))
		}
		timertest.Pass(2 * timertest.Tick)
		assert.Equal(t, uint64(len(all)+1), tm.Stats().Expired)
		assert.LessOrEqual(t, tm.Stats().MaxLag, timertest.Tick)
	}, timertest.Inline)
}

func TestLatenessIsReportedNoLatenessWhenNothingIsLate(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		assertInTime := func(when string) {
			s := tm.Stats()
			assert.Zero(t, s.Lag, when)
			assert.Zero(t, s.MaxLag, when)
			assert.Zero(t, s.Overdue, when)
		}
		assertInTime("before the first arming")
		far := tm.AfterFunc(1<<62, timertest.Nop)
		assertInTime("with one that is never due")
		to := tm.AfterFunc(time.Hour, timertest.Nop)
		timertest.Pass(time.Minute)
		assertInTime("before it is due")
		to.Stop()
		far.Stop()
		timertest.Pass(time.Hour)
		assertInTime("while nothing is pending")
		tm.AfterFunc(time.Minute, timertest.Nop)
		timertest.Pass(time.Hour)
		assertInTime("after a run in time")
	})
}

// A timeout that is moved on and on, as an idle connection's is, is never late.
func TestLatenessIsReportedNoLatenessOfATimeoutThatIsMovedLater(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		to := timertest.Owned(tm, timertest.NopTask)
		for range 100 {
			to.Reset(50 * timertest.Tick)
			timertest.Pass(30*timertest.Tick + timertest.Tick/3)
			assert.LessOrEqual(t, tm.Stats().Overdue, timertest.Tick)
		}
		assert.Zero(t, tm.Stats().MaxLag)
	})
}

// The process was stopped, or the machine too busy: the alarm came late.
func TestLatenessIsReportedMaxLagAfterALateAlarm(t *testing.T) {
	clock := new(timertest.SteppingClock)
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(time.Minute, timertest.Nop)
		timertest.Pass(time.Second)
		clock.Step(2 * time.Minute)
		synctest.Wait()
		assert.InDelta(t, time.Minute+time.Second, tm.Stats().MaxLag, float64(timertest.Tick))
	}, hashedwheel.WithClock(clock))
}

// silentClock never rings, so the worker never files anything.
type silentClock struct{}

func (silentClock) Now() time.Time { return time.Now() }

func (silentClock) After(time.Duration) <-chan time.Time { return nil }

func TestLatenessIsReportedOverdueOfQueuedTimeoutsOnAClockThatNeverRings(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(10*timertest.Tick, timertest.Nop)
		timertest.Pass(10 * timertest.Tick)
		assert.LessOrEqual(t, tm.Stats().Overdue, timertest.Tick)
		for range 3 {
			tm.AfterFunc(time.Hour, timertest.Nop)
			before := tm.Stats().Overdue
			timertest.Pass(time.Second)
			assert.Equal(t, before+time.Second, tm.Stats().Overdue)
		}
	}, hashedwheel.WithClock(silentClock{}))
}

// Stats files the timeout. If it turned the wheel to the present first, the timeout would count as due just now.
func TestLatenessIsReportedOverdueByTheFirstStatsOnAClockThatNeverRings(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(10*timertest.Tick, timertest.Nop)
		timertest.Pass(time.Hour)
		assert.Equal(t, time.Hour-10*timertest.Tick, tm.Stats().Overdue)
	}, hashedwheel.WithClock(silentClock{}))
}

func TestStatsHasTheBoundAndWhetherTheTimerIsStopped(t *testing.T) {
	_, tm := timertest.NewManual(hashedwheel.WithMaxPending(3))
	for _, stopped := range []bool{false, true} {
		s := tm.Stats()
		assert.Equal(t, 3, s.MaxPending)
		assert.Equal(t, stopped, s.Stopped)
		tm.Stop()
	}
}
