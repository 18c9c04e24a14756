package stress

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Only its owner arms and stops a timeout, while others drain the queue: each result must be true.
func TestADrainTakesNoCallBack(t *testing.T) {
	tm := timertest.NewOn(hashedwheel.Inline{})
	defer tm.Stop()
	defer timertest.Counting(tm)()
	wrong, to := 0, timertest.Owned(tm, timertest.NopTask)
	for end := time.Now().Add(timertest.Lasting(300 * time.Millisecond)); time.Now().Before(end); {
		for i := range 100 {
			at := end.Add(time.Hour - time.Duration(i))
			to.ResetAt(at)
			if to.State() != hashedwheel.Pending || !to.Deadline().Equal(at) {
				wrong++
			}
			if !to.Stop() || to.State() != hashedwheel.Canceled {
				wrong++
			}
		}
	}
	assert.Zero(t, wrong)
}

// Each of many lone users arms one short timeout around the moment at which the
// worker goes to sleep, and has it run before it arms the next.
func TestNoWakeUpIsLostAsTheWorkerParks(t *testing.T) {
	rounds := int(timertest.Lasting(1000))
	var users sync.WaitGroup
	for u := range 48 {
		users.Go(func() {
			tm := hashedwheel.MustNew(hashedwheel.WithTick(100*time.Microsecond), hashedwheel.WithExecutor(hashedwheel.Inline{}))
			defer tm.Stop()
			if u%3 > 0 {
				tm.AfterFunc(time.Hour, timertest.Nop) // the worker sleeps; without it, it ends
			}
			if u%32 == 2 {
				defer timertest.Counting(tm)()
			}
			for range rounds {
				if !fires(tm, u%3 == 2) {
					t.Error("a timeout of 50µs has not run for 10s")
					return
				}
			}
		})
	}
	users.Wait()
}

// fires arms a short timeout and waits until it has run, then for a moment.
func fires(tm *hashedwheel.Timer, count bool) bool {
	ran := make(chan struct{})
	tm.AfterFunc(50*time.Microsecond, func() { close(ran) })
	if count {
		tm.Pending()
	}
	select {
	case <-ran:
	case <-time.After(10 * time.Second):
		return false
	}
	for wait := time.Now().Add(time.Duration(rand.IntN(250_000))); time.Now().Before(wait); {
		runtime.Gosched()
	}
	return true
}

func TestInlineGoexitLosesNoNeighbor(t *testing.T) {
	tm := timertest.NewOn(hashedwheel.Inline{})
	var running sync.WaitGroup
	for i := range 2000 {
		running.Add(1)
		tm.AfterFunc(time.Duration(i%3)*timertest.Tick, func() {
			defer running.Done()
			if i%5 == 0 {
				runtime.Goexit()
			}
		})
	}
	timertest.Returns(t, running.Wait)
	assert.Empty(t, timertest.Shutdown(t, tm))
	assert.Equal(t, uint64(2000), tm.Stats().Expired)
}

func TestPanickingTasksAreAllHandled(t *testing.T) {
	for name, e := range timertest.Executors() {
		t.Run(name, func(t *testing.T) {
			var handled atomic.Int64
			tm := timertest.NewOn(e, hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, recovered any) {
				if to.State() == hashedwheel.Expired && recovered == "on purpose" {
					handled.Add(1)
				}
			}))
			for i := range 500 {
				tm.AfterFunc(time.Duration(i%3)*timertest.Tick, func() {
					if i%2 == 0 {
						panic("on purpose")
					}
				})
			}
			timertest.Returns(t, func() {
				for tm.Pending() > 0 {
					time.Sleep(timertest.Tick)
				}
			})
			assert.Empty(t, timertest.Shutdown(t, tm))
			assert.Equal(t, int64(250), handled.Load())
			assert.Equal(t, uint64(250), tm.Stats().Panics)
		})
	}
}

// One goroutine moves a timeout later; it must not run before the time that the
// last Reset has asked for. Once it has expired the next arming is moved only after
// its run, which might else be taken for that arming's.
func TestATimeoutThatIsMovedLaterIsNeverEarly(t *testing.T) {
	tm := timertest.NewOn(hashedwheel.Inline{})
	defer tm.Stop()
	var notBefore, early, ran atomic.Int64
	start := time.Now()
	to := timertest.Owned(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
		if int64(time.Since(start)) < notBefore.Load() {
			early.Add(1)
		}
		ran.Add(1)
	}))
	to.Reset(2 * timertest.Tick)
	for expired := int64(0); time.Since(start) < timertest.Lasting(200*time.Millisecond); {
		at := int64(time.Since(start) + 2*timertest.Tick)
		if to.Reset(2 * timertest.Tick) {
			notBefore.Store(at) // it was pending, so it has not run, and now waits for this
		} else {
			for expired++; ran.Load() < expired; {
				time.Sleep(timertest.Tick / 8)
			}
		}
		time.Sleep(time.Duration(rand.IntN(2_200_000)))
	}
	assert.Zero(t, early.Load())
	t.Logf("ran %d times", ran.Load())
}
