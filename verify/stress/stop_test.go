package stress

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestStopAtAnyMomentLosesNothing(t *testing.T) {
	for name, e := range timertest.Executors() {
		t.Run(name, func(t *testing.T) {
			for end := time.Now().Add(timertest.Lasting(400 * time.Millisecond)); time.Now().Before(end); {
				c := &crowd{tm: timertest.NewOn(e)}
				c.assemble()
				time.Sleep(time.Duration(rand.IntN(3_000_000)))
				c.disperse(t)
				if t.Failed() {
					return
				}
			}
		})
	}
}

// Stop is called in the middle of a tick, from another goroutine or from the slow task itself.
func TestStopDuringASlowTaskLosesNothing(t *testing.T) {
	end := time.Now().Add(timertest.Lasting(time.Second))
	for i := 0; time.Now().Before(end); i++ {
		tm := timertest.New(hashedwheel.WithExecutor(hashedwheel.Inline{}), hashedwheel.WithTick(200*time.Microsecond))
		var ran atomic.Int64
		const n = 100
		stopped := make(chan []*hashedwheel.Timeout, 1)
		wait := time.Duration(150+rand.IntN(200)) * time.Microsecond
		var first atomic.Bool
		for range n {
			tm.AfterFunc(0, func() {
				ran.Add(1)
				if first.CompareAndSwap(false, true) {
					time.Sleep(wait)
					if i%2 == 0 {
						stopped <- tm.Stop()
					}
				}
			})
		}
		if i%2 != 0 {
			time.Sleep(wait + 200*time.Microsecond)
			stopped <- tm.Stop()
		}
		left := <-stopped
		assert.Empty(t, timertest.Shutdown(t, tm))
		refused := tm.Stats().Rejected // Stop may come before all are armed
		require.Equal(t, n, int(ran.Load())+len(left)+int(refused), "each ran, was left or refused")
	}
	assertNoLibraryGoroutines(t)
}

// spinUntil keeps its processor for as long as two goroutines need to meet.
func spinUntil(v *atomic.Int64, n int64) {
	for i := 1; v.Load() < n; i++ {
		if i%10_000 == 0 {
			runtime.Gosched()
		}
	}
}

// Many timeouts of one tick are stopped while the worker hands them out.
func TestStopAndExpiryOfTheSameMomentAgree(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(100*time.Microsecond), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.Stop()
	var ran, round, begun, answered atomic.Int64
	task := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
		r := round.Load()
		ran.Add(1)
		begun.Store(r)
		spinUntil(&answered, r) // the first holds the others up until the race can begin
	})
	all := make([]hashedwheel.Timeout, 512)
	for i := range all {
		all[i].Init(tm, task)
	}
	began, stopped := int64(0), int64(0)
	for end := time.Now().Add(timertest.Lasting(300 * time.Millisecond)); time.Now().Before(end); {
		round.Add(1)
		for i := range all {
			all[i].Reset(0)
			began++
		}
		spinUntil(&begun, round.Load())
		answered.Store(round.Load())
		for ran.Load()+stopped < began {
			if all[rand.IntN(len(all))].Stop() {
				stopped++
			}
		}
	}
	timertest.Shutdown(t, tm)
	assert.Equal(t, began, ran.Load()+stopped)
	t.Logf("%d ran, %d stopped", ran.Load(), stopped)
}

func TestShutdownReturnsAfterTheLastTask(t *testing.T) {
	for name, e := range timertest.Executors() {
		t.Run(name, func(t *testing.T) {
			tm := timertest.NewOn(e)
			var begun, ended atomic.Int64
			for i := range 200 {
				tm.AfterFunc(time.Duration(i%4)*timertest.Tick, func() {
					begun.Add(1)
					time.Sleep(100 * time.Microsecond)
					ended.Add(1)
					if i%8 == 0 {
						runtime.Goexit()
					}
				})
			}
			for begun.Load() == 0 {
				runtime.Gosched()
			}
			left := timertest.Shutdown(t, tm)
			n := ended.Load()
			assert.Equal(t, int64(200), n+int64(len(left)))
			assert.Equal(t, begun.Load(), n)
		})
	}
}
