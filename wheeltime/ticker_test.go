package wheeltime_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/wheeltime"
)

func TestTickerTicksOnAGridWithoutDrift(t *testing.T) {
	onEither(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const period = 10*tick + tick/3
		start := time.Now()
		ticker := wheeltime.NewTicker(tm, period)
		defer ticker.Stop()
		for i := range time.Duration(1000) {
			at := <-ticker.C
			assert.WithinRange(t, at, start.Add((i+1)*period), start.Add((i+1)*period+tick))
		}
	})
}

func TestTickerSkipsTicksMissedInAStall(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		start := time.Now()
		ticker := wheeltime.NewTicker(tm, 10*tick)
		defer ticker.Stop()
		tm.AfterFunc(5*tick, func() { time.Sleep(90 * tick) }) // on the worker
		assert.WithinRange(t, <-ticker.C, start.Add(95*tick), start.Add(96*tick), "the time at which it was sent")
		timertest.Pass(4 * tick)
		assertNone(t, ticker.C, "of the missed ticks")
		assert.WithinRange(t, <-ticker.C, start.Add(100*tick), start.Add(101*tick), "on the grid again")
		timertest.Pass(8 * tick)
		assertNone(t, ticker.C, "in a burst")
	}, timertest.Inline)
}

// A Ticker with a period below a tick ticks about once a tick.
func TestTickerWithAPeriodOfAboutATickLosesNone(t *testing.T) {
	for _, period := range []time.Duration{tick * 9 / 10, tick, tick * 11 / 10} {
		t.Run(period.String(), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				time.Sleep(tick / 100) // its ticks are due just after those of the wheel
				ticker := wheeltime.NewTicker(tm, period)
				defer ticker.Stop()
				n := 0
				for end := time.After(time.Second); ; n++ {
					select {
					case <-ticker.C:
						continue
					case <-end:
					}
					break
				}
				assert.InDelta(t, int(time.Second/max(period, tick)), n, 2)
			})
		})
	}
}
