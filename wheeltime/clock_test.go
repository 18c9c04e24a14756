package wheeltime_test

import (
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

// A Clock can also be the clock of another Timer.
var _ hashedwheel.Clock = (*wheeltime.Clock)(nil)

func TestClockMethodsAreOnItsWheel(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		clock := wheeltime.NewClock(tm)
		start := clock.Now()
		assert.WithinDuration(t, time.Now(), start, 0)

		called := make(chan struct{})
		clock.AfterFunc(10*tick, func() { close(called) })
		timer, ticker, after := clock.NewTimer(10*tick), clock.NewTicker(10*tick), clock.After(10*tick)
		ticks := clock.Tick(10 * tick)
		synctest.Wait()
		assert.Equal(t, 6, tm.Pending(), "the five, and the one that watches for After")
		clock.Sleep(11 * tick)
		<-called
		assertWithin(t, timer.C, start.Add(10*tick))
		assertWithin(t, ticker.C, start.Add(10*tick))
		assertWithin(t, after, start.Add(10*tick))
		assertWithin(t, ticks, start.Add(10*tick))
		assert.Equal(t, 11*tick, clock.Since(start))
		assert.Equal(t, -11*tick, clock.Until(start))
		assert.Nil(t, clock.Tick(0))
		ticker.Stop()
	})
}

// settableClock is the system's clock after its wall clock was set back.
type settableClock struct{ back time.Duration }

func (c settableClock) After(d time.Duration) <-chan time.Time { return time.After(d) }

// Now changes the wall clock's reading alone; a method of time.Time changes both. The seconds of
// a Time with a monotonic reading are in 33 bits above the nanoseconds.
func (c settableClock) Now() time.Time {
	now := time.Now()
	*(*uint64)(unsafe.Pointer(&now)) -= uint64(c.back/time.Second) << 30
	return now
}

func TestClockNowIsRightAfterTheWallClockWasSet(t *testing.T) {
	tm := timertest.New(hashedwheel.WithClock(settableClock{back: time.Hour}))
	defer tm.Stop()
	require.InDelta(t, time.Hour, time.Now().Round(0).Sub(tm.Now().Round(0)), float64(time.Minute), "the wheel's clock is an hour behind")
	clock := wheeltime.NewClock(tm)
	for name, now := range map[string]time.Time{
		"Now":          clock.Now(),
		"NewTimer":     <-clock.NewTimer(tick).C,
		"NewTimer(0)":  <-clock.NewTimer(0).C,
		"After":        <-clock.After(tick),
		"After(0)":     <-clock.After(0),
		"in a refused": func() time.Time { tm.Stop(); return <-clock.NewTimer(tick).C }(),
	} {
		assert.InDelta(t, 0, time.Now().Round(0).Sub(now.Round(0)), float64(time.Minute), "%s, by the wall clock", name)
		assert.InDelta(t, 0, time.Since(now), float64(time.Minute), "%s, by the monotonic clock", name)
	}
}

// The time of a ManualClock is passed on unchanged, whatever the system's clock shows.
func TestClockNowOnAManualClock(t *testing.T) {
	for _, start := range []time.Time{{}, time.Date(1984, 4, 4, 0, 0, 0, 0, time.UTC), time.Date(3000, 1, 1, 0, 0, 0, 0, time.UTC)} {
		manual := hashedwheel.NewManualClock(start)
		tm := timertest.NewManualOn(manual)
		clock := wheeltime.NewClock(tm)
		timer := clock.NewTimer(time.Second)
		manual.Advance(time.Second)
		assert.Equal(t, start.Add(time.Second), clock.Now())
		assert.Equal(t, start.Add(time.Second), <-timer.C)
		tm.Stop()
	}
}

func TestZeroClockPanics(t *testing.T) {
	const want = "wheeltime: zero Clock: NewClock makes one"
	for _, call := range []func(c *wheeltime.Clock){
		func(c *wheeltime.Clock) { c.Now() },
		func(c *wheeltime.Clock) { c.Sleep(0) },
		func(c *wheeltime.Clock) { c.Tick(0) },
		func(c *wheeltime.Clock) { c.After(0) },
		func(c *wheeltime.Clock) { c.NewTimer(0) },
	} {
		assert.PanicsWithValue(t, want, func() { call(new(wheeltime.Clock)) })
	}
	assert.PanicsWithValue(t, "wheeltime: NewClock with a nil Timer", func() { wheeltime.NewClock(nil) })
}

func TestStringShowsStateAndTime(t *testing.T) {
	clock, tm := timertest.NewManual()
	wheel := wheeltime.NewClock(tm)
	timer, ticker := wheel.NewTimer(time.Second), wheel.NewTicker(time.Second)
	print := func(v any) string { return fmt.Sprintf("%v", v) }
	assert.Equal(t, "wheeltime.Timer(Pending, 2025-01-01 00:00:01.000)", print(timer))
	assert.Equal(t, "wheeltime.Ticker(1s, Pending, 2025-01-01 00:00:01.000)", print(ticker))
	assert.Equal(t, "wheeltime.Clock(tick 10ms)", print(wheel))
	clock.Advance(time.Second)
	assert.Equal(t, "wheeltime.Timer(off)", print(timer))
	assert.Equal(t, "wheeltime.Ticker(1s, Pending, 2025-01-01 00:00:02.000)", print(ticker))
	tm.Stop()
	assert.Equal(t, "wheeltime.Ticker(1s, Canceled, 2025-01-01 00:00:02.000)", print(ticker))
	timer.Reset(time.Hour)
	assert.Equal(t, "wheeltime.Timer(Pending in package time)", print(timer))
	timer.Stop()
	assert.Equal(t, "wheeltime.Timer(uninitialized)", print(new(wheeltime.Timer)))
	assert.Equal(t, "wheeltime.Ticker(0s, uninitialized)", print(new(wheeltime.Ticker)))
	assert.Equal(t, "wheeltime.Clock(uninitialized)", print(new(wheeltime.Clock)))
}

// The race detector must find nothing.
func TestStringDuringUseIsNoRace(t *testing.T) {
	tm := timertest.New()
	defer tm.Stop()
	clock := wheeltime.NewClock(tm)
	timer, ticker := clock.NewTimer(tick), clock.NewTicker(tick)
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range time.Duration(300) {
				timer.Reset(i % 3 * tick)
				timer.Stop()
				ticker.Reset(tick + i)
				ticker.Stop()
				_ = fmt.Sprintf("%v %+v %s", timer, ticker, clock)
			}
		})
	}
	all.Wait()
}

// Sample and Timer.Stop return tasks that a program may print: by their names, and without a race.
func TestTasksHaveNames(t *testing.T) {
	_, tm := timertest.NewManual()
	timer, ticker := wheeltime.NewTimer(tm, time.Hour), wheeltime.NewTicker(tm, time.Hour)
	f := wheeltime.AfterFunc(tm, time.Hour, timertest.Nop)
	wheeltime.After(tm, time.Hour)
	sample := tm.Sample(5)
	var moving sync.WaitGroup
	moving.Go(func() {
		for range 100 {
			timer.Reset(time.Minute)
			ticker.Reset(time.Minute)
			f.Reset(time.Minute)
		}
		tm.Stop()
	})
	var names []string
	for range 100 {
		names = nil
		for _, to := range sample {
			if task, ok := to.Task.(interface{ TaskName() string }); ok { // the channel by which After watches tm has no name
				assert.Equal(t, task.TaskName(), fmt.Sprint(task))
				names = append(names, task.TaskName())
			}
		}
	}
	assert.ElementsMatch(t, []string{"wheeltime.NewTimer", "wheeltime.NewTicker", "timertest.Nop", "wheeltime.After"}, names)
	moving.Wait()
}
