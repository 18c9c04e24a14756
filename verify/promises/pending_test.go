package promises

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Pending releases the lock after each portion of queued timeouts. A batch that ends in between must not
// leave out a timeout that was moved earlier while it was in the batch. With -tags small the two meet
// within a second or two.
func TestPendingCountsATimeoutThatIsMovedEarlierInABatch(t *testing.T) {
	const others = 32 * limits.Portion
	clock, tm := timertest.NewManual(hashedwheel.WithTick(timertest.Tick))
	defer tm.Stop()
	var all []*hashedwheel.Timeout
	for range others + 2 {
		all = append(all, tm.AfterFunc(1000*time.Hour, timertest.Nop))
	}
	twins := all[others:]

	var quit atomic.Bool
	var counters sync.WaitGroup
	for range 4 {
		counters.Go(func() {
			for !quit.Load() && assert.GreaterOrEqual(t, tm.Pending(), others+1) {
			}
		})
	}
	lasting := timertest.Lasting(5 * time.Second)
	for begun, round := time.Now(), 0; time.Since(begun) < lasting && !t.Failed(); round++ {
		// One of the two is in the batch before the task, the other after it.
		twins[0].Reset(timertest.Tick)
		tm.Next() // files it
		tm.AfterFunc(timertest.Tick, func() {
			moved := twins[0]
			if moved.State() != hashedwheel.Pending {
				moved = twins[1]
			}
			moved.Reset(900 * time.Hour)
			for _, to := range all[:others] {
				to.Reset(999*time.Hour - time.Duration(round)*time.Second)
			}
			moved.Reset(time.Hour)
		})
		tm.Next()
		twins[1].Reset(timertest.Tick)
		clock.Advance(timertest.Tick)
	}
	quit.Store(true)
	counters.Wait()
}
