package series_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestSeriesStringHasPeriodNextRunAndFunction(t *testing.T) {
	clock, tm := timertest.NewManual()
	defer tm.Stop()
	every := tm.Every(5*time.Second, tidyUp)
	recur := tm.Recur(&agenda{times: []time.Time{timertest.Epoch.Add(time.Minute)}}, tidyUp)
	assert.Equal(t, "hashedwheel.Series(every 5s, next 2025-01-01 00:00:05.000, series_test.tidyUp)", fmt.Sprint(every))
	assert.Equal(t, "hashedwheel.Series(by *series_test.agenda, next 2025-01-01 00:01:00.000, series_test.tidyUp)", recur.String())
	clock.Advance(7 * time.Second)
	assert.Equal(t, "hashedwheel.Series(every 5s, next 2025-01-01 00:00:10.000, series_test.tidyUp)", every.String())
	every.Reset(time.Minute)
	assert.Equal(t, "hashedwheel.Series(every 1m0s, next 2025-01-01 00:01:07.000, series_test.tidyUp)", every.String())
	every.Stop()
	clock.Advance(time.Hour)
	assert.Equal(t, "hashedwheel.Series(every 1m0s, ended, series_test.tidyUp)", every.String())
	assert.Equal(t, "hashedwheel.Series(by *series_test.agenda, ended, series_test.tidyUp)", recur.String())
}

// A logger may print a series, or a struct with a pointer to one, at any time.
func TestSeriesStringIsSafeDuringUse(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(100 * time.Microsecond))
	s := tm.Every(100*time.Microsecond, func(s *hashedwheel.Series) { s.Reset(100 * time.Microsecond) })
	for until := time.Now().Add(timertest.Lasting(200 * time.Millisecond)); time.Now().Before(until); {
		assert.Contains(t, fmt.Sprintf("%v", s), "hashedwheel.Series(every 100µs, next ")
		for _, sampled := range tm.Sample(1) {
			assert.Contains(t, fmt.Sprint(sampled.Task), "hashedwheel.Series(every 100µs, ")
		}
	}
	timertest.Shutdown(t, tm)
	assert.Contains(t, s.String(), "ended")
}
