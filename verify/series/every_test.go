// Package series_test checks the promises of Every, EveryFrom and Recur from outside: when series run, and how they
// end. The model covers most of it.
package series_test

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// The tick does not get in the way of a period as short.
func TestEveryWithAPeriodOfAboutATickMissesNothing(t *testing.T) {
	const n = 1000
	for _, period := range []time.Duration{tick, tick + 1, 2 * tick, 7*tick/2 + 1} {
		t.Run(period.String(), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(time.Microsecond) // the grid is a little behind the ticks
				start, log := time.Now(), new(timertest.RunLog)
				tm.Every(period, noted(log))
				timertest.Pass(n*period + tick/2)
				require.Equal(t, n, log.Count())
				for i, at := range log.Times() {
					due := start.Add(time.Duration(1+i) * period)
					require.WithinRange(t, at, due, due.Add(tick), "run %d", i)
				}
			})
		})
	}
}

func TestEveryContinuesThroughTheZeroTime(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Time{}.Add(-5 * time.Second))
	tm := timertest.NewManualOn(clock)
	defer tm.StopAll()
	runs := 0
	s := tm.Every(time.Second, func(*hashedwheel.Series) { runs++ })
	require.False(t, ended(s))
	clock.Advance(10 * time.Second)
	assert.Equal(t, 10, runs)
}

// These are times that no clock reaches.
func TestSeriesOutOfReachNeverRunsAndIsPending(t *testing.T) {
	year9999, last := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(math.MaxInt64/2, 0)
	const year = 365 * 24 * time.Hour
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(tick / 3)
		moved := tm.Every(time.Hour, nop)
		moved.Reset(math.MaxInt64)
		all := map[string]*hashedwheel.Series{
			"EveryFrom the year 9999":      tm.EveryFrom(year9999, time.Hour, nop),
			"EveryFrom the end of time":    tm.EveryFrom(last, time.Hour, nop),
			"Recur in the year 9999":       tm.Recur(&agenda{year9999}, nop),
			"Recur at the end of time":     tm.Recur(&agenda{last}, nop),
			"Every 20 years":               tm.Every(20*year, nop),
			"Every longest period but one": tm.Every(math.MaxInt64-1, nop),
			"Every longest period":         tm.Every(math.MaxInt64, nop),
			"Every, and Reset to never":    moved,
		}
		timertest.Pass(year)
		assert.Equal(t, len(all), tm.Pending())
		assert.Zero(t, tm.Stats().Expired)
		for name, s := range all {
			assert.True(t, s.Stop(), name)
		}
	})
}

// The executor got the run before Reset made it obsolete, and begins it while the run that Reset armed expires: exactly
// one of the two calls f.
func TestEveryRunsOnceIfItExpiresWhileAnObsoleteRunBegins(t *testing.T) {
	pool := new(timertest.HeldBack)
	clock, tm := timertest.NewManual(hashedwheel.WithExecutor(pool))
	defer tm.StopAll()
	var ran atomic.Int64
	s := tm.Every(time.Hour, func(*hashedwheel.Series) { ran.Add(1) })
	for i := range 2_000 {
		clock.Advance(time.Hour + 10*time.Millisecond)
		s.Reset(time.Hour) // the run that the executor has is obsolete
		ran.Store(0)
		var void sync.WaitGroup
		void.Go(func() {
			for range i % 100 { // so that they overlap at every point
				_ = ran.Load()
			}
			pool.Release()
		})
		clock.Advance(time.Hour + 10*time.Millisecond)
		void.Wait()
		pool.Release()
		require.EqualValues(t, 1, ran.Load())
		require.False(t, ended(s))
	}
}

// Only its user would notice that a series has ended, so a full timer refuses other armings instead: the series counts.
func TestSeriesIsNotRefusedByAFullTimer(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		isFull := func() bool {
			to, err := tm.Schedule(time.Hour, timertest.NopTask)
			if to != nil {
				to.Stop()
			}
			return err == hashedwheel.ErrFull
		}
		other, log := tm.AfterFunc(time.Hour, timertest.Nop), new(timertest.RunLog)
		every := tm.Every(aPeriod, noted(log))
		recur := tm.Recur(&agenda{time.Now().Add(aPeriod), time.Now().Add(3 * aPeriod)}, noted(log))
		all := []*hashedwheel.Series{every, recur}
		for _, s := range all {
			assert.NoError(t, s.Err())
			assert.True(t, s.Stop())
			assert.False(t, s.Reset(aPeriod), "it had ended")
			assert.NoError(t, s.Err())
		}
		timertest.Pass(2*aPeriod + tick)
		assert.Equal(t, 3, log.Count(), "two and one")
		assert.Equal(t, 3, tm.Pending())
		other.Stop()
		for _, s := range all {
			assert.True(t, isFull(), "each counts")
			assert.True(t, s.Stop())
		}
		assert.False(t, isFull())
	}, hashedwheel.WithMaxPending(1))
}

// A Schedule of robfig/cron is a Scheduler.
var _ hashedwheel.Scheduler = interface {
	Next(time.Time) time.Time
}(schedule(nil))

func TestRecurPassesOnAPanicOfItsScheduler(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		s := schedule(func(time.Time) time.Time { panic("on purpose") })
		assert.PanicsWithValue(t, "on purpose", func() { tm.Recur(s, nop) })
		assert.Zero(t, tm.Pending())
	})
}

// Next is a part of the run, so a run that Reset arms is skipped if it is due during Next. The series goes on or ends
// as Next says.
func TestRecurSkipsTheRunOfAResetThatIsDueDuringNext(t *testing.T) {
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
				require.Equal(t, 2, s.asked)
				assert.Equal(t, 1, log.Count())
				assert.Equal(t, way != "returns", ended(s.series.Load()))
			}, swallow)
		})
	}
}

// slowScheduler returns one hour from now. Its second call resets the series, and takes so long that the run armed by
// Reset becomes due.
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

func TestMain(m *testing.M) { timertest.VerifyMain(m) }

const tick = timertest.Tick

// aPeriod is not a multiple of a tick: no two points of a grid have the same phase.
const aPeriod = 10*tick + tick*333/1000

// delaying returns an executor that begins each task d later.
func delaying(d time.Duration) hashedwheel.Executor {
	return hashedwheel.ExecutorFunc(func(f func()) { time.AfterFunc(d, f) })
}

// swallow is a panic handler that lets the program continue.
var swallow = hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {})

// nop is a run that does nothing.
func nop(*hashedwheel.Series) {}

// noted is a series whose runs are noted.
func noted(log *timertest.RunLog) func(*hashedwheel.Series) {
	return func(*hashedwheel.Series) { log.Note() }
}

// ended reports whether the series is over.
func ended(s *hashedwheel.Series) bool { return s.Next().IsZero() }

// agenda is a Scheduler that returns its times one after another, then ends the series.
type agenda []time.Time

func (a *agenda) Next(time.Time) (next time.Time) {
	if len(*a) > 0 {
		next, *a = (*a)[0], (*a)[1:]
	}
	return next
}

// schedule is a function used as a Scheduler.
type schedule func(now time.Time) time.Time

func (s schedule) Next(now time.Time) time.Time { return s(now) }

// failures are the ways in which user code does not return.
var failures = map[string]func(){
	"panics": func() { panic("on purpose") },
	"exits":  runtime.Goexit,
}
