package promises

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// lagCountsOf returns LagCounts after two tasks of one tick: the first delays the second by late.
func lagCountsOf(t *testing.T, late time.Duration) (counts [20]uint64) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ran := 0
		for range 2 {
			tm.AfterFunc(5*timertest.Tick, func() {
				ran++
				if ran == 1 {
					time.Sleep(late)
				}
			})
		}
		timertest.Pass(5*timertest.Tick + late)
		assert.Equal(t, late, tm.Stats().Lag)
		counts = tm.Stats().LagCounts
	}, timertest.Inline)
	return counts
}

// bothIn are counts with both tasks in entry i.
func bothIn(i int) (counts [20]uint64) {
	counts[i] = 2
	return counts
}

func TestLagCountsAtTheBorderOfEachEntry(t *testing.T) {
	const last = 19
	for i := range last + 1 {
		border := 100 * time.Microsecond << i
		assert.Equal(t, bothIn(i), lagCountsOf(t, border-1), "%v less a nanosecond", border)
		assert.Equal(t, bothIn(i), lagCountsOf(t, border), border)
		assert.Equal(t, bothIn(min(i+1, last)), lagCountsOf(t, border+1), "%v and a nanosecond", border)
	}
	assert.Equal(t, bothIn(last), lagCountsOf(t, 24*time.Hour), "the last entry counts all above")
}

func TestLagCountsOfTasksHandedOutAtTheirTick(t *testing.T) {
	assert.Equal(t, bothIn(0), lagCountsOf(t, 0))
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for _, d := range timertest.ManyDelays {
			tm.AfterFunc(d, timertest.Nop)
		}
		timertest.Pass(25 * time.Hour)
		assert.Equal(t, [20]uint64{0: uint64(len(timertest.ManyDelays))}, tm.Stats().LagCounts)
	}, timertest.Inline)
}
