package hashedwheel

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// deepest returns how many pages the deepest stripe has.
func deepest(q *mpscQueue) (pages int32) {
	for i := range q.stripes {
		pages = max(pages, q.stripes[i].depth.Load())
	}
	return pages
}

func TestAStormIsDrainedBeforeItsTick(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew()
		defer tm.Stop()
		for range 4 * deepPages * len(tm.queue.stripes) * aPage {
			tm.AfterFunc(time.Hour, func() {})
			if deepest(&tm.queue) >= deepPages {
				synctest.Wait()
				assert.True(t, tm.queue.empty())
				return
			}
		}
		t.Error("no stripe has grown deep")
	})
}

// Without a processor of its own the worker would be kept from an ever longer
// queue until the scheduler preempts the producer, 10 ms later.
func TestAStormGivesItsProcessorToTheWorker(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	tm := MustNew(WithTick(time.Hour))
	defer tm.Stop()
	most := int32(0)
	for range 1 << 17 {
		tm.AfterFunc(time.Hour, func() {}).Stop()
		most = max(most, deepest(&tm.queue))
	}
	// All of them would be 256 pages a stripe. The scheduler may hand a yield straight back.
	assert.LessOrEqual(t, most, int32(16*deepPages))
}
