package hashedwheel

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A Reset has made a run void. While that is on, what the Reset began is claimed,
// and its run comes: whichever of the two calls the function, one does. They meet
// in a few instructions, wide enough with the race detector alone.
func TestSeriesRunsOnceWhatIsClaimedWhileARunIsVoid(t *testing.T) {
	tm := MustNew(WithClock(NewManualClock(time.Now())))
	defer tm.Stop()
	for i := range 10_000 {
		var ran atomic.Int64
		s := &series{plan: grid{period: int64(time.Hour)}, f: func() { ran.Add(1) }}
		to := &Timeout{timer: tm, task: s}
		to.word.Store(int64(pack(0, 0, Pending))) // as the Reset and a drain left it
		var ready atomic.Bool
		var void sync.WaitGroup
		void.Go(func() {
			for !ready.Load() {
			}
			s.Run(to)
		})
		ready.Store(true)
		for range i % 100 { // so that the claim meets the other in every place
			_ = ready.Load()
		}
		require.True(t, to.claim(0))
		s.Run(to)
		void.Wait()
		require.EqualValues(t, 1, ran.Load())
	}
}
