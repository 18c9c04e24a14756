package series_test

import (
	"fmt"
	"math"
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestSeriesStringHasPeriodNextRunAndFunction(t *testing.T) {
	clock, tm := timertest.NewManual()
	defer tm.StopAll()
	every := tm.Every(5*time.Second, tidyUp)
	recur := tm.Recur(&agenda{timertest.Epoch.Add(time.Minute)}, tidyUp)
	assert.Equal(t, "hashedwheel.Series(every 5s, next 2025-01-01 00:00:05.000, series_test.tidyUp)", fmt.Sprint(every))
	const byAgenda = "hashedwheel.Series(by *series_test.agenda, next 2025-01-01 00:01:00.000, series_test.tidyUp)"
	assert.Equal(t, byAgenda, recur.String())
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
	assert.Contains(t, tm.Sample(1)[0].Name, "series_test.tidyUp", "the name of a series is that of its function")
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
	defer tm.StopAll()
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

func TestEveryCostsOneAllocationAndARunNone(t *testing.T) {
	f := func(*hashedwheel.Series) {}
	tm := timertest.NewResting(t)
	assert.EqualValues(t, 1, testing.AllocsPerRun(1000, func() { tm.Every(time.Hour, f) }))
	s := tm.Every(time.Hour, f)
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		s.Reset(time.Hour)
		s.Next()
		_ = s.Err()
	}))

	if limits.Chunk < 500 {
		return // with -tags small a thousand runs need more chunks than the wheel keeps
	}
	clock, tm := timertest.NewManual(timertest.Inline)
	defer tm.StopAll()
	tm.Every(10*time.Millisecond, f)
	one := mallocsOf(func() { clock.Advance(time.Second) })
	for range 1000 {
		tm.Every(10*time.Millisecond, f)
	}
	clock.Advance(20 * time.Millisecond)
	all := mallocsOf(func() { clock.Advance(time.Second) })
	assert.LessOrEqual(t, all, one+200, "100,000 runs more")
}

// mallocsOf returns the fewest allocations of three calls of f: the runtime also counts those of other goroutines.
func mallocsOf(f func()) uint64 {
	fewest := uint64(math.MaxUint64)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		fewest = min(fewest, after.Mallocs-before.Mallocs)
	}
	return fewest
}
