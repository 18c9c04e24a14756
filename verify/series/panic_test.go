package series_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestEverySurvivesAPanic(t *testing.T) {
	var told []any
	handler := hashedwheel.WithPanicHandler(func(_ *hashedwheel.Timeout, recovered any) { told = append(told, recovered) })
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		told = nil
		log, start := new(timertest.RunLog), time.Now()
		tm.Every(aPeriod, func(*hashedwheel.Series) {
			if log.Note(); log.Count()%2 == 0 {
				panic("on purpose")
			}
		})
		timertest.Pass(6*aPeriod + late)
		timertest.AssertOnGrid(t, start, aPeriod, late, log.Times(), timertest.UpTo(6)...)
		assert.Equal(t, []any{"on purpose", "on purpose", "on purpose"}, told)
		assert.Equal(t, uint64(3), tm.Stats().Panics)
	}, handler)
}

func TestEverySurvivesGoexit(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log, start := new(timertest.RunLog), time.Now()
		tm.Every(aPeriod, func(*hashedwheel.Series) {
			if log.Note(); log.Count()%2 == 0 {
				runtime.Goexit()
			}
		})
		timertest.Pass(6*aPeriod + late)
		timertest.AssertOnGrid(t, start, aPeriod, late, log.Times(), timertest.UpTo(6)...)
	})
}

// failures are the ways in which user code does not return.
var failures = map[string]func(){
	"panics": func() { panic("on purpose") },
	"exits":  runtime.Goexit,
}

func TestEveryPanicsOnProgrammerErrors(t *testing.T) {
	_, tm := timertest.NewManual()
	defer tm.Stop()
	for _, period := range []time.Duration{0, -1, -1 << 63} {
		assert.PanicsWithValue(t, "hashedwheel: Every with a period that is not positive", func() { tm.Every(period, nop) })
		assert.PanicsWithValue(t, "hashedwheel: Every with a period that is not positive", func() { tm.EveryFrom(tm.Now(), period, nop) })
	}
	assert.PanicsWithValue(t, "hashedwheel: Every with a nil func", func() { tm.Every(time.Second, nil) })
	assert.PanicsWithValue(t, "hashedwheel: Every with a nil func", func() { tm.EveryFrom(tm.Now(), time.Second, nil) })
	assert.PanicsWithValue(t, "hashedwheel: Recur with a nil func", func() { tm.Recur(new(agenda), nil) })
	assert.PanicsWithValue(t, "hashedwheel: Recur with a nil Scheduler", func() { tm.Recur(nil, nop) })
	assert.Zero(t, tm.Pending())
	s := tm.Every(time.Hour, nop)
	for _, period := range []time.Duration{0, -1, -1 << 63} {
		assert.PanicsWithValue(t, "hashedwheel: Reset of a Series to a period that is not positive", func() { s.Reset(period) })
	}
	assert.True(t, s.Stop(), "nothing has changed")
}
