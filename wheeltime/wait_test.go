package wheeltime_test

import (
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

func TestSleepAndAfterEndOnTime(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for _, d := range []time.Duration{1, tick, 10*tick + 1, time.Hour} {
			start := time.Now()
			wheeltime.Sleep(tm, d)
			assert.WithinRange(t, time.Now(), start.Add(d), start.Add(d+tick))
			start = time.Now()
			at := <-wheeltime.After(tm, d)
			assert.WithinRange(t, at, start.Add(d), start.Add(d+tick))
		}
		synctest.Wait()
		assert.Zero(t, tm.Pending(), "nothing is left on the wheel")
	})
}

func TestSleepAndAfterOfZeroAndLessEndAtOnce(t *testing.T) {
	clock, tm := timertest.NewManual()
	defer tm.Stop()
	for _, d := range []time.Duration{0, -1, math.MinInt64} {
		wheeltime.Sleep(tm, d)
		assert.Equal(t, clock.Now(), <-wheeltime.After(tm, d))
	}
	assert.Zero(t, tm.Pending())
}

func TestSleepAndAfterEndOnTimeThoughTheWheelIsStopped(t *testing.T) {
	const n = 1000 // Timer.Stop collects them in several portions
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		var waits sync.WaitGroup
		for i := range time.Duration(n) {
			d := (i + 20) * tick
			c := wheeltime.After(tm, d)
			waits.Go(func() {
				assert.WithinRange(t, <-c, start.Add(d), start.Add(d+tick))
				assert.WithinRange(t, time.Now(), start.Add(d), start.Add(d+tick))
			})
			waits.Go(func() {
				wheeltime.Sleep(tm, d)
				assert.WithinRange(t, time.Now(), start.Add(d), start.Add(d+tick))
			})
		}
		timertest.Pass(10*tick + 1)
		assert.Equal(t, 2*n, tm.Pending(), "After's, and Sleep's, of which each has another tick")
		assert.Empty(t, tm.Stop(), "the Timeouts are not the user's")
		waits.Wait()
	})
}
