package series_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// The second run ends half-way between the fifth point and the sixth.
func TestEverySkipsThePointsThatASlowRunCovered(t *testing.T) {
	for name, newExecutor := range map[string]func() hashedwheel.Executor{
		"Inline":             func() hashedwheel.Executor { return hashedwheel.Inline{} },
		"a pool of one":      newPoolOfOne,
		"a pool that delays": newPoolThatDelays,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				const late = tick + poolDelay
				tm := timertest.New(hashedwheel.WithExecutor(newExecutor()))
				defer tm.Stop()
				log, start := new(timertest.RunLog), time.Now()
				tm.Every(aPeriod, func(*hashedwheel.Series) {
					if log.Note(); log.Count() == 2 {
						time.Sleep(3*aPeriod + aPeriod/2)
					}
				})
				timertest.Pass(8*aPeriod + late)
				timertest.AssertOnGrid(t, start, aPeriod, late, log.Times(), 1, 2, 6, 7, 8)
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
