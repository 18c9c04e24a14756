package wheeltime_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

func TestClockMethodsAreOnItsWheel(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		clock := wheeltime.NewClock(tm)
		clock.AfterFunc(10*tick, timertest.Nop)
		clock.NewTimer(10 * tick)
		clock.NewTicker(10 * tick)
		clock.After(10 * tick)
		clock.Tick(10 * tick)
		go clock.Sleep(10 * tick)
		synctest.Wait()
		assert.Equal(t, 6, tm.Pending())
		assert.Nil(t, clock.Tick(0))
		timertest.Pass(20 * tick) // the bubble waits for Sleep
	})
}

// The time of a ManualClock is passed on unchanged, whatever the system's clock shows.
func TestClockNowOnAManualClock(t *testing.T) {
	for _, start := range []time.Time{
		{}, time.Date(1984, 4, 4, 0, 0, 0, 0, time.UTC), time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC), time.Now(),
	} {
		manual := hashedwheel.NewManualClock(start)
		tm := timertest.NewManualOn(manual)
		clock := wheeltime.NewClock(tm)
		timer := clock.NewTimer(time.Second)
		manual.Advance(time.Second)
		assert.Equal(t, start.Add(time.Second), clock.Now())
		assert.Equal(t, -time.Second, clock.Until(start))
		assert.Equal(t, start.Add(time.Second), <-timer.C)
		tm.StopAll()
	}
}

func TestMisusePanics(t *testing.T) {
	tm := timertest.New()
	defer tm.StopAll()
	var clock wheeltime.Clock
	const (
		zeroTimer  = "on uninitialized Timer: NewTimer and AfterFunc make one"
		zeroTicker = "on uninitialized Ticker: NewTicker makes one"
	)
	for want, misuses := range map[string][]func(){
		"Stop called " + zeroTimer:               {func() { new(wheeltime.Timer).Stop() }},
		"Reset called " + zeroTimer:              {func() { new(wheeltime.Timer).Reset(1) }},
		"Reset called " + zeroTicker:             {func() { new(wheeltime.Ticker).Reset(1) }},
		"NewTimer with a nil Timer":              {func() { wheeltime.NewTimer(nil, 1) }},
		"AfterFunc with a nil Timer":             {func() { wheeltime.AfterFunc(nil, 1, timertest.Nop) }},
		"AfterFunc with a nil func":              {func() { wheeltime.AfterFunc(tm, 1, nil) }},
		"NewTicker with a nil Timer":             {func() { wheeltime.NewTicker(nil, 1) }},
		"After with a nil Timer":                 {func() { wheeltime.After(nil, 1) }},
		"Sleep with a nil Timer":                 {func() { wheeltime.Sleep(nil, 1) }},
		"NewClock with a nil Timer":              {func() { wheeltime.NewClock(nil) }},
		"non-positive interval for NewTicker":    {func() { wheeltime.NewTicker(tm, 0) }},
		"non-positive interval for Ticker.Reset": {func() { wheeltime.NewTicker(tm, time.Hour).Reset(0) }},
		"zero Clock: NewClock makes one": {
			func() { clock.Now() }, func() { clock.Sleep(0) }, func() { clock.Tick(0) }, func() { clock.After(0) },
			func() { clock.NewTimer(0) },
		},
	} {
		for _, misuse := range misuses {
			assert.PanicsWithValue(t, "wheeltime: "+want, misuse)
		}
	}
}

func TestTasksHaveNamesAndStringsShowStateAndTime(t *testing.T) {
	clock, tm := timertest.NewManual(timertest.Inline)
	wheel := wheeltime.NewClock(tm)
	timer, ticker := wheel.NewTimer(time.Second), wheel.NewTicker(time.Second)
	wheel.AfterFunc(time.Hour, timertest.Nop)
	wheel.After(time.Hour)
	var names []string
	for _, sampled := range tm.Sample(4) {
		names = append(names, sampled.Name)
	}
	want := []string{"wheeltime.NewTimer", "wheeltime.NewTicker", "timertest.Nop", "wheeltime.After"}
	assert.ElementsMatch(t, want, names)
	print := func(v any) string { return fmt.Sprintf("%v", v) }
	assert.Equal(t, "wheeltime.Timer(Pending, 2025-01-01 00:00:01.000)", print(timer))
	assert.Equal(t, "wheeltime.Ticker(1s, Pending, 2025-01-01 00:00:01.000)", print(ticker))
	assert.Equal(t, "wheeltime.Clock(tick 10ms)", print(wheel))
	var printing sync.WaitGroup
	for range 100 {
		printing.Go(func() { _ = print(timer) + print(ticker) }) // the race detector must find nothing
		timer.Reset(time.Second)
		ticker.Reset(time.Second)
	}
	printing.Wait()
	clock.Advance(time.Second)
	assert.Equal(t, "wheeltime.Timer(off)", print(timer))
	assert.Equal(t, "wheeltime.Ticker(1s, Pending, 2025-01-01 00:00:02.000)", print(ticker))
	tm.StopAll()
	assert.Equal(t, "wheeltime.Ticker(1s, Pending in the time package)", print(ticker))
	ticker.Stop()
	timer.Reset(time.Hour)
	assert.Equal(t, "wheeltime.Timer(Pending in the time package)", print(timer))
	timer.Stop()
	assert.Equal(t, "wheeltime.Timer(uninitialized)", print(new(wheeltime.Timer)))
	assert.Equal(t, "wheeltime.Ticker(0s, uninitialized)", print(new(wheeltime.Ticker)))
	assert.Equal(t, "wheeltime.Clock(uninitialized)", print(new(wheeltime.Clock)))
}
