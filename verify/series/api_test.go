package series_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestSeriesNextReturnsTheNextRun(t *testing.T) {
	timertest.OnHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *timertest.HeldBack) {
		start := time.Now()
		var inside time.Time
		s := tm.Every(aPeriod, func(s *hashedwheel.Series) {
			inside = s.Next()
			timertest.Pass(3 * aPeriod)
		})
		assert.Equal(t, start.Add(aPeriod), s.Next())
		timertest.Pass(aPeriod + tick)
		assert.Equal(t, start.Add(aPeriod), s.Next(), "it is with the executor")
		go pool.Release()
		timertest.Pass(aPeriod + tick)
		assert.Equal(t, start.Add(2*aPeriod), inside)
		assert.Equal(t, start.Add(2*aPeriod), s.Next(), "it came due during the first")
		s.Stop()
		assert.Zero(t, s.Next())
		timertest.Pass(3 * aPeriod)
	})
}

func TestSeriesStringHasPeriodNextRunAndFunction(t *testing.T) {
	clock, tm := timertest.NewManual()
	defer tm.Stop()
	every := tm.Every(5*time.Second, tidyUp)
	recur := tm.Recur(&agenda{times: []time.Time{timertest.Epoch.Add(time.Minute)}}, tidyUp)
	assert.Equal(t, "hashedwheel.Series(every 5s, next 2025-01-01 00:00:05.000, series_test.tidyUp)", fmt.Sprint(every))
	assert.Equal(t, "hashedwheel.Series(by *series_test.agenda, next 2025-01-01 00:01:00.000, series_test.tidyUp)",
		recur.String())
	clock.Advance(7 * time.Second)
	assert.Equal(t, "hashedwheel.Series(every 5s, next 2025-01-01 00:00:10.000, series_test.tidyUp)", every.String())
	every.Reset(time.Minute)
	assert.Equal(t, "hashedwheel.Series(every 1m0s, next 2025-01-01 00:01:07.000, series_test.tidyUp)", every.String())
	every.Stop()
	clock.Advance(time.Hour)
	assert.Equal(t, "hashedwheel.Series(every 1m0s, ended, series_test.tidyUp)", every.String())
	assert.Equal(t, "hashedwheel.Series(by *series_test.agenda, ended, series_test.tidyUp)", recur.String())
	assert.Equal(t, "hashedwheel.Series(zero)", fmt.Sprint(new(hashedwheel.Series)), "may be printed before it is made")
	tm.Every(time.Hour, tidyUp)
	assert.Contains(t, tm.Stop()[0].String(), " series_test.tidyUp)", "a list of timeouts names the function")
}

// A logger may print a series, or a struct with a pointer to one, at any time.
func TestSeriesStringIsSafeDuringUse(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(100 * time.Microsecond))
	s := tm.Every(100*time.Microsecond, func(s *hashedwheel.Series) { s.Reset(100 * time.Microsecond) })
	for until := time.Now().Add(timertest.Lasting(200 * time.Millisecond)); time.Now().Before(until); {
		assert.Contains(t, fmt.Sprintf("%v", s), "hashedwheel.Series(every 100µs, next ")
		for _, sampled := range tm.Sample(1) {
			assert.Contains(t, sampled.Name, "series_test.TestSeriesStringIsSafeDuringUse.func1")
		}
	}
	timertest.Shutdown(t, tm)
	assert.Contains(t, s.String(), "ended")
}

func TestZeroSeriesPanicsInEachMethod(t *testing.T) {
	for name, call := range map[string]func(s *hashedwheel.Series){
		"Stop":                func(s *hashedwheel.Series) { s.Stop() },
		"Reset":               func(s *hashedwheel.Series) { s.Reset(time.Second) },
		"Reset, not positive": func(s *hashedwheel.Series) { s.Reset(0) },
		"Next":                func(s *hashedwheel.Series) { s.Next() },
		"Err":                 func(s *hashedwheel.Series) { _ = s.Err() },
	} {
		t.Run(name, func(t *testing.T) {
			s := new(hashedwheel.Series)
			for range 2 { // the first leaves no lock behind
				const message = "hashedwheel: zero Series: Every, EveryFrom and Recur make one"
				assert.PanicsWithValue(t, message, func() { call(s) })
			}
		})
	}
}

func tidyUp(*hashedwheel.Series) {}

func TestEveryPanicsOnProgrammerErrors(t *testing.T) {
	_, tm := timertest.NewManual()
	defer tm.Stop()
	for _, period := range []time.Duration{0, -1, -1 << 63} {
		const message = "hashedwheel: Every with a period that is not positive"
		assert.PanicsWithValue(t, message, func() { tm.Every(period, nop) })
		assert.PanicsWithValue(t, message, func() { tm.EveryFrom(tm.Now(), period, nop) })
	}
	assert.PanicsWithValue(t, "hashedwheel: Every with a nil func", func() { tm.Every(time.Second, nil) })
	assert.PanicsWithValue(t, "hashedwheel: Every with a nil func", func() { tm.EveryFrom(tm.Now(), time.Second, nil) })
	assert.PanicsWithValue(t, "hashedwheel: Recur with a nil func", func() { tm.Recur(new(agenda), nil) })
	assert.PanicsWithValue(t, "hashedwheel: Recur with a nil Scheduler", func() { tm.Recur(nil, nop) })
	assert.Zero(t, tm.Pending())
	s := tm.Every(time.Hour, nop)
	for _, period := range []time.Duration{0, -1, -1 << 63} {
		const message = "hashedwheel: Reset of a Series to a period that is not positive"
		assert.PanicsWithValue(t, message, func() { s.Reset(period) })
	}
	assert.True(t, s.Stop(), "nothing has changed")
}
