package wheels_test

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/docs/wheels"
)

var designs = map[string]func(time.Duration) *wheels.Timer{
	"list":      wheels.OpenList,
	"heap":      wheels.OpenHeap,
	"rounds":    wheels.OpenRounds,
	"hierarchy": wheels.OpenHierarchy,
}

// TestRandomArmingsFireOnceInTime goes around each wheel several times: the tick
// is short, so that two seconds have rounds to count and levels to cascade.
func TestRandomArmingsFireOnceInTime(t *testing.T) {
	for name, open := range designs {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tm := open(time.Millisecond)
			defer tm.Close()
			var mu sync.Mutex
			var done sync.WaitGroup
			random := rand.New(rand.NewPCG(1, 2))
			for range 3000 {
				d := time.Duration(random.Int64N(int64(2 * time.Second)))
				due := time.Now().Add(d)
				done.Add(1)
				tm.AfterFunc(d, func() {
					mu.Lock()
					defer mu.Unlock()
					if early := time.Until(due); early > 0 {
						t.Errorf("%v: early by %v", d, early)
					}
					done.Done()
				})
			}
			done.Wait()
		})
	}
}

func TestStopAndResetTellWhetherItWasPending(t *testing.T) {
	for name, open := range designs {
		t.Run(name, func(t *testing.T) {
			tm := open(time.Millisecond)
			defer tm.Close()
			to := tm.New(func() { t.Error("fired") })
			if to.Stop() || to.Reset(time.Hour) || !to.Reset(100*time.Hour) || !to.Stop() || to.Stop() {
				t.Error("wrong answer")
			}
		})
	}
}
