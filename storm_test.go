package hashedwheel

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// deepest returns the depth of the deepest stripe.
func deepest(q *mpscQueue) (depth int32) {
	for i := range q.stripes {
		depth = max(depth, q.stripes[i].depth.Load())
	}
	return depth
}

// inside is a Timeout inside a larger struct.
type inside[P any] struct {
	_  P // first: the compiler would pad an empty one that is last
	to Timeout
}

// apart returns n timeouts that lie one behind the other, as far apart as P says.
func apart[P any](n int) (all []*Timeout) {
	some := make([]inside[P], n)
	for i := range some {
		all = append(all, &some[i].to)
	}
	return all
}

func oneByOne(n int) (all []*Timeout) {
	for range n {
		all = append(all, new(Timeout))
	}
	return all
}

// layouts are ways in which timeouts lie in memory.
var layouts = map[string]func(n int) []*Timeout{
	"64 bytes apart":   apart[struct{}],
	"80 bytes apart":   apart[[16]byte],
	"256 bytes apart":  apart[[192]byte],
	"320 bytes apart":  apart[[256]byte],
	"8192 bytes apart": apart[[8128]byte],
	"one by one":       oneByOne,
}

func TestDepthCountsAboutOnePushIn128(t *testing.T) {
	const n = 1 << 14
	for says, layout := range layouts {
		t.Run(says, func(t *testing.T) {
			all := layout(n)
			if says != "one by one" && unsafe.Sizeof(Timeout{}) == 64 {
				require.Contains(t, says, fmt.Sprint(uintptr(unsafe.Pointer(all[1]))-uintptr(unsafe.Pointer(all[0]))))
			}
			q := newStripes(1)
			for _, to := range all {
				q.push(to)
			}
			assert.Greater(t, int(q.stripes[0].depth.Load()), n/128/2)
			assert.Less(t, int(q.stripes[0].depth.Load()), n/128*2)
		})
	}
}

func TestAStripeIsDeepAfterAFewHundredPushes(t *testing.T) {
	for says, layout := range layouts {
		t.Run(says, func(t *testing.T) {
			const n = 1 << 14
			q, pushes, deepenings := newStripes(1), 0, 0
			for _, to := range layout(n) {
				pushes++
				if q.push(to) == deepened {
					q.take() // it is counted anew
					require.Zero(t, q.stripes[0].depth.Load())
					assert.Less(t, pushes, 4000, "at any time")
					pushes = 0
					deepenings++
				}
			}
			assert.Greater(t, deepenings, n/1024, "on average")
			assert.Less(t, deepenings, n/256, "on average")
		})
	}
}

// Nobody else drains: Advance is not called, and parked says that the worker is awake.
func TestAProducerFilesWhatItsStripeHoldsOnceThatIsDeep(t *testing.T) {
	const n = 50_000
	g, tm := newGuarded()
	tm.queue.stripes = make([]stripe, 8) // the same on all machines
	most := int32(0)
	for range n {
		tm.AfterFunc(time.Hour, func() {})
		most = max(most, deepest(&tm.queue))
	}
	assert.LessOrEqual(t, most, int32(4*deep))
	assert.Greater(t, g.wheel.count, n/2)
	assert.Equal(t, n, tm.Pending())
}

func TestAProducerThatHelpsTakesAllThatItsStripeHolds(t *testing.T) {
	g, tm := newGuarded()
	tm.queue.stripes = make([]stripe, 1)
	for range 5000 {
		before := g.wheel.count
		if tm.AfterFunc(time.Hour, func() {}); g.wheel.count > before {
			assert.True(t, tm.queue.empty())
			return
		}
	}
	t.Error("it has not helped")
}

// What was armed and stopped in between never gets into the wheel.
func TestAProducerThatHelpsLetsGoOfWhatWasStopped(t *testing.T) {
	g, tm := newGuarded()
	tm.queue.stripes = make([]stripe, 8)
	for range 50_000 {
		tm.AfterFunc(time.Hour, func() {}).Stop()
		require.Less(t, g.wheel.count, 10)
	}
	assert.Greater(t, g.cancelled, uint64(25_000))
}

func TestAProducerDoesNotWaitForTheLock(t *testing.T) {
	g, tm := newGuarded()
	done := make(chan bool)
	g.Lock()
	go func() {
		defer close(done)
		for range 10_000 {
			tm.AfterFunc(time.Hour, func() {})
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Error("it waits")
	}
	g.Unlock()
	<-done
	assert.Equal(t, 10_000, tm.Pending())
}

// pushesUntil arms until somebody else is done, and returns how often.
func pushesUntil(isDone *atomic.Bool, tm *Timer) (n int) {
	for ; !isDone.Load(); n++ {
		tm.AfterFunc(time.Hour, func() {})
	}
	return n
}

// With one processor, whoever has the lock would otherwise come to its end no sooner
// than the scheduler preempts the producer, 10 ms later.
func TestAProducerGivesWayToWhoeverHasTheLock(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	g, tm := newGuarded()
	var isDone atomic.Bool
	g.Lock()
	go func() {
		defer isDone.Store(true)
		defer g.Unlock()
		for range 10 {
			runtime.Gosched()
		}
	}()
	assert.Less(t, pushesUntil(&isDone, tm), 20_000)
}

// With one processor, a worker that was woken to take the lock would otherwise find it taken
// again, or run no sooner than the scheduler preempts the producer.
func TestAProducerGivesWayToAWorkerThatWaitsForTheLock(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	g, tm := newGuarded()
	var isDone atomic.Bool
	g.Lock()
	go func() {
		defer isDone.Store(true)
		g.drain(0)
	}()
	for !tm.waits() {
		runtime.Gosched()
	}
	g.Unlock()
	assert.Less(t, pushesUntil(&isDone, tm), 20_000)
	assert.False(t, tm.waits())
}

// Whoever helped would keep the processor from a worker that has no other.
func TestAProducerDoesNotHelpWhileAWorkerWaitsWhoseAlarmHasRung(t *testing.T) {
	g, tm := newGuarded()
	arm := func(n int) {
		for range n {
			tm.AfterFunc(time.Hour, func() {})
		}
	}
	tm.clock.(*ManualClock).Advance(time.Second)
	g.wanted.Store(tm.now())
	arm(20_000)
	assert.Zero(t, g.wheel.count)
	g.wanted.Store(tm.now() + 1)
	arm(20_000)
	assert.NotZero(t, g.wheel.count, "it has yet to ring")
	assert.Equal(t, 40_000, tm.Pending())
}

func TestASleepingWorkerSaysWhenItsAlarmRings(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew(WithTick(time.Second))
		defer tm.Stop()
		tm.AfterFunc(9500*time.Millisecond, func() {})
		time.Sleep(2500 * time.Millisecond) // it has ticked twice, and found nothing more
		synctest.Wait()
		assert.Equal(t, int64(10*time.Second), tm.guarded.wanted.Load())
		assert.False(t, tm.waits())
		time.Sleep(8 * time.Second)
		synctest.Wait()
		assert.Zero(t, tm.guarded.wanted.Load(), "it has ended")
	})
}

func TestProducersExpectNoAlarmOfAUsersClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew(WithTick(time.Second), WithClock(struct{ systemClock }{}))
		defer tm.Stop()
		tm.AfterFunc(time.Hour, func() {})
		time.Sleep(90 * time.Second)
		synctest.Wait()
		assert.Zero(t, tm.guarded.wanted.Load())
	})
}
