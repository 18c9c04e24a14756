package channels_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Many goroutines call After on real time: no channel is closed early, no goroutine hangs, and
// after Stop no goroutine waits.
func TestAfterUnderLoadIsNeverEarlyAndReleasesAll(t *testing.T) {
	for name, e := range timertest.Executors() {
		for _, wheel := range []int{1, 512} {
			t.Run(fmt.Sprintf("%s, %d buckets", name, wheel), func(t *testing.T) {
				tm := timertest.NewOn(e, hashedwheel.WithTick(100*time.Microsecond), hashedwheel.WithWheelSize(wheel))
				var stopping atomic.Bool
				var early, released atomic.Int64
				var waiters sync.WaitGroup
				for i := range 200 {
					waiters.Go(func() {
						for !stopping.Load() {
							d := rand.N(3 * time.Millisecond)
							if i%10 == 0 {
								d = time.Hour // only Stop releases it
							}
							start := time.Now()
							<-tm.After(d)
							if time.Since(start) < d && !stopping.Load() {
								early.Add(1)
							}
							released.Add(1)
						}
					})
				}
				time.Sleep(timertest.Lasting(300 * time.Millisecond))
				assert.Eventually(t, func() bool { return released.Load() > 200 }, 20*time.Second, time.Millisecond)
				stopping.Store(true)
				timertest.Returns(t, func() {
					assert.Empty(t, tm.Stop())
					waiters.Wait()
				})
				assert.Zero(t, early.Load())
				assert.Zero(t, tm.Pending())
				timertest.Shutdown(t, tm)
			})
		}
	}
}
