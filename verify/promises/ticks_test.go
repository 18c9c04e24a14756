package promises

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Timeouts expire all the time: the worker runs once a tick, also if the tick is not ten times 100 µs or a multiple.
func TestQuietOnceATickWhateverTheTickWhileManyExpire(t *testing.T) {
	forEachTick(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ticks := time.Second / tm.Tick()
		for range 5 * ticks {
			tm.AfterFunc(tm.Tick()/3, timertest.Nop)
			time.Sleep(tm.Tick() / 5)
		}
		assert.InDelta(t, ticks, tm.Stats().Wakeups, float64(ticks)/50)
	}, 150*time.Microsecond, 199_999, 999_999, time.Millisecond, time.Millisecond+1, 7_777_777)
}
