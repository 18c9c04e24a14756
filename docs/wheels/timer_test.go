package wheels_test

import (
	"math/rand/v2"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel/docs/wheels"
)

var designs = map[string]func(time.Duration) *wheels.Timer{
	"list":      wheels.OpenList,
	"heap":      wheels.OpenHeap,
	"rounds":    wheels.OpenRounds,
	"hierarchy": wheels.OpenHierarchy,
}

// TestRandomArmingsFireOnceInTime goes around each wheel several times: the tick is short, so that two seconds have
// rounds to count and levels to cascade.
func TestRandomArmingsFireOnceInTime(t *testing.T) {
	for name, open := range designs {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := open(time.Millisecond)
				defer tm.Close()
				random, fired := rand.New(rand.NewPCG(1, 2)), 0
				for range 3000 {
					time.Sleep(time.Microsecond) // so that the goroutine plans in between
					d := time.Duration(random.Int64N(int64(2 * time.Second)))
					due := time.Now().Add(d)
					tm.AfterFunc(d, func() {
						fired++
						assert.WithinRange(t, time.Now(), due, due.Add(time.Millisecond), "due after %v", d)
					})
				}
				last := tm.AfterFunc(2*time.Second, func() {})
				time.Sleep(3 * time.Second)
				synctest.Wait()
				assert.Equal(t, 3000, fired)
				assert.False(t, last.Stop(), "it has fired")
			})
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
