package series_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// The second run ends half-way between the fifth point and the sixth.
func TestEverySkipsThePointsThatASlowRunCovered(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log, start := new(timertest.RunLog), time.Now()
		tm.Every(aPeriod, func(*hashedwheel.Series) {
			if log.Note(); log.Count() == 2 {
				time.Sleep(3*aPeriod + aPeriod/2)
			}
		})
		timertest.Pass(8*aPeriod + late)
		timertest.AssertOnGrid(t, start, aPeriod, late, log.Times(), 1, 2, 6, 7, 8)
	})
}

// Stopped and begun again while f is running, it waits for that run all the same.
func TestEveryNeverOverlapsTheRunThatWasOnWhenItBeganAgain(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log, start := new(timertest.RunLog), time.Now()
		s := tm.Every(aPeriod, func(*hashedwheel.Series) {
			log.Note()
			time.Sleep(4*aPeriod + aPeriod/2)
		})
		timertest.Pass(aPeriod + late + tick)
		assert.True(t, s.Stop())
		assert.False(t, s.Reset(aPeriod))
		begunAgain := time.Now()
		timertest.Pass(time.Until(start.Add(5*aPeriod + aPeriod/2)))
		assert.Equal(t, 1, log.Count(), "the first run is on")
		timertest.Pass(2*aPeriod + late)
		require.Equal(t, 2, log.Count())
		timertest.AssertOnGrid(t, begunAgain, aPeriod, late, log.Times()[1:], 5)
		s.Stop()
		timertest.Pass(5 * aPeriod)
	})
}

func TestEveryMissesNothingWhileEachRunEndsBeforeTheNextTick(t *testing.T) {
	const n = 1000
	for _, takes := range []time.Duration{tick / 10, tick / 2, 9 * tick / 10} {
		t.Run(takes.String(), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(tick / 20)
				log := new(timertest.RunLog)
				s := tm.Every(tick, func(*hashedwheel.Series) {
					log.Note()
					time.Sleep(takes)
				})
				timertest.Pass(n * tick)
				s.Stop()
				timertest.Pass(tick)
				assert.GreaterOrEqual(t, log.Count(), n-2)
			})
		})
	}
}

// The executor got the run before Reset made it void, and begins it while the run that Reset armed
// expires: exactly one of the two calls f.
func TestEveryRunsOnceIfItExpiresWhileAVoidRunBegins(t *testing.T) {
	pool := new(timertest.HeldBack)
	clock, tm := timertest.NewManual(hashedwheel.WithExecutor(pool))
	defer tm.Stop()
	var ran atomic.Int64
	s := tm.Every(time.Hour, func(*hashedwheel.Series) { ran.Add(1) })
	for i := range 2_000 {
		clock.Advance(time.Hour + 10*time.Millisecond)
		s.Reset(time.Hour) // the run that the executor has is void
		ran.Store(0)
		var void sync.WaitGroup
		void.Go(func() {
			for range i % 100 { // so that they meet in every place
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

// A point that is past when the stall ends is passed over if its tick has begun: there is one run for all. One stall
// ends between two points, the other in the tick that begins right after a point.
func TestEveryRunsNoBurstAfterAStall(t *testing.T) {
	const period = 10 * tick
	for name, stall := range map[string]time.Duration{
		"between two points": 50*period + period/2,
		"just after a point": 50*period - tick - tick/4,
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(tick / 10)
				log, start := new(timertest.RunLog), time.Now()
				tm.Every(period, noted(log))
				tm.AfterFunc(2*period+2*tick, func() { time.Sleep(stall) })
				timertest.Pass(55*period + tick)
				runs, end := log.Times(), start.Add(2*period+2*tick+stall)
				require.GreaterOrEqual(t, len(runs), 5)
				timertest.AssertOnGrid(t, start, period, tick, runs[:2], 1, 2)
				assert.WithinRange(t, runs[2], end, end.Add(2*tick), "one for all that were missed")
				next := 1 + int(end.Sub(start)/period)
				timertest.AssertOnGrid(t, start, period, tick, runs[3:], timertest.UpTo(55)[next-1:]...)
			}, timertest.OnWorker)
		})
	}
}

// Only one run ends, and a panic goes to the handler.
func TestEverySurvivesPanicAndGoexit(t *testing.T) {
	for way, fail := range failures {
		t.Run(way, func(t *testing.T) {
			var told []any
			handler := hashedwheel.WithPanicHandler(func(_ *hashedwheel.Timeout, recovered any) {
				told = append(told, recovered)
			})
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
				told = nil
				log, start := new(timertest.RunLog), time.Now()
				tm.Every(aPeriod, func(*hashedwheel.Series) {
					if log.Note(); log.Count()%2 == 0 {
						fail()
					}
				})
				timertest.Pass(6*aPeriod + late)
				timertest.AssertOnGrid(t, start, aPeriod, late, log.Times(), timertest.UpTo(6)...)
				assert.Equal(t, uint64(len(told)), tm.Stats().Panics)
				if way == "panics" {
					assert.Equal(t, []any{"on purpose", "on purpose", "on purpose"}, told)
				}
			}, handler)
		})
	}
}
