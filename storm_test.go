package hashedwheel

import (
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// skipIfSmall skips tests that depend on how many pushes are counted.
func skipIfSmall(t *testing.T) {
	if limits.SampledLog2 < 7 {
		t.Skip("with -tags small so few may wait that more pushes are counted")
	}
}

// deepest returns the depth of the deepest stripe.
func deepest(q *mpscQueue) (depth int32) {
	for i := range q.stripes {
		depth = max(depth, q.stripes[i].depth.Load())
	}
	return depth
}

// padded is a Timeout in a larger struct.
type padded[P any] struct {
	_  P // first: an empty last field would be padded
	to Timeout
}

// apart returns n timeouts in a row in memory, 64 bytes and the size of P apart.
func apart[P any](n int) (all []*Timeout) {
	some := make([]padded[P], n)
	for i := range some {
		all = append(all, &some[i].to)
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
	"allocated singly": newTimeouts,
}

func TestDepthIsAboutHowManyWereQueued(t *testing.T) {
	skipIfSmall(t)
	const n = 1 << 14
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			all := layout(n)
			if name != "allocated singly" && unsafe.Sizeof(Timeout{}) == 64 {
				require.Contains(t, name, fmt.Sprint(uintptr(unsafe.Pointer(all[1]))-uintptr(unsafe.Pointer(all[0]))))
			}
			q := newStripes(1)
			for _, to := range all {
				q.push(to)
			}
			assert.Greater(t, int(q.stripes[0].depth.Load()), n/2)
			assert.Less(t, int(q.stripes[0].depth.Load()), n*2)
		})
	}
}

func TestStripeIsDeepAfterAFewHundredPushes(t *testing.T) {
	skipIfSmall(t)
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			const n = 1 << 14
			q, pushes, deepenings := newStripes(8), 0, 0
			q.stripes = q.stripes[:1]
			for _, to := range layout(n) {
				pushes++
				if q.push(to) == deepened {
					q.take() // counting starts again
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

// Only the producer can file here: the timer has no worker goroutine, and the test does not call Advance.
func TestProducerFilesItsStripeOnceTheStripeIsDeep(t *testing.T) {
	const n = 50_000
	g, tm := newGuarded()
	tm.queue.makeStripes(8) // the same on every machine
	most := int32(0)
	for range n {
		tm.AfterFunc(time.Hour, func() {})
		most = max(most, deepest(&tm.queue))
	}
	assert.LessOrEqual(t, most, 4*tm.queue.deep.Load())
	assert.Greater(t, g.wheel.count, n/2)
	assert.Equal(t, n, tm.Pending())
}

func TestHelpingProducerEmptiesItsStripe(t *testing.T) {
	g, tm := newGuarded()
	tm.queue.makeStripes(1)
	for range 50_000 { // the producer helps after 4096 on average
		before := g.wheel.count
		if tm.AfterFunc(time.Hour, func() {}); g.wheel.count > before {
			assert.True(t, tm.queue.empty())
			return
		}
	}
	t.Error("the producer has not helped")
}

func TestProducerDropsTimeoutsStoppedInTheQueue(t *testing.T) {
	g, tm := newGuarded()
	tm.queue.makeStripes(8)
	for range 50_000 {
		tm.AfterFunc(time.Hour, func() {}).Stop()
		require.Less(t, g.wheel.count, 10)
	}
	assert.Greater(t, tm.queue.canceled(), uint64(25_000))
	assert.Zero(t, g.canceled, "dropped with the lock held")
}

// A producer waits only if its stripe is flooded. These pushes are too few for that.
func TestProducerDoesNotWaitForTheLock(t *testing.T) {
	skipIfSmall(t)
	g, tm := newGuarded()
	tm.queue.makeStripes(1) // of many stripes some would be flooded, as the addresses happen to be
	done := make(chan bool)
	g.Lock()
	go func() {
		defer close(done)
		for range limits.Most / 4 {
			tm.AfterFunc(time.Hour, func() {})
		}
	}()
	select {
	case <-done:
	case <-time.After(20 * time.Second):
		t.Error("the producer waits for the lock")
	}
	g.Unlock()
	<-done
	assert.Equal(t, limits.Most/4, tm.Pending())
}

// pushesUntil arms timeouts until isDone, and returns how many.
func pushesUntil(isDone *atomic.Bool, tm *Timer) (n int) {
	for ; !isDone.Load(); n++ {
		tm.AfterFunc(time.Hour, func() {})
	}
	return n
}

// bystander returns how many turns a goroutine has had. With one processor it has one whenever another yields.
func bystander(t *testing.T) *atomic.Int64 {
	turns, isDone := new(atomic.Int64), new(atomic.Bool)
	t.Cleanup(func() { isDone.Store(true) })
	go func() {
		for !isDone.Load() {
			turns.Add(1)
			runtime.Gosched()
		}
	}()
	return turns
}

func TestCallersYieldToAWaitingWorkerAndToLateTasks(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	tm := MustNew()
	defer tm.Stop()
	turns := bystander(t)
	for name, c := range map[string]struct {
		since *atomic.Int64
		call  func()
	}{
		"arming, the worker waits":            {&tm.worker.wanted, func() { tm.deadlineIn(time.Hour) }},
		"arming, tasks wait":                  {&tm.worker.late, func() { tm.deadlineIn(time.Hour) }},
		"push on a deep stripe, worker waits": {&tm.worker.wanted, func() { tm.worker.relieve(new(Timeout), deepened) }},
	} {
		const calls = 2000
		yields := func() int64 {
			before := turns.Load()
			for range calls {
				c.call()
			}
			return turns.Load() - before
		}
		assert.Less(t, yields(), int64(calls/10), "%s, not yet: only the scheduler preempts", name)
		c.since.Store(0)
		assert.Greater(t, yields(), int64(calls/2), name)
		c.since.Store(math.MaxInt64)
	}
}

// While two producers wait, the stripe is filed by the first, who has its turn. The second finds that.
func TestProducersWaitForTheLockOneAtATime(t *testing.T) {
	g, tm := newGuarded()
	tm.queue.makeStripes(1)
	const waiting = 3 * portion
	for _, to := range newTimeouts(waiting) {
		to.Init(tm, TaskFunc(func(*Timeout) {}))
		setWord(to, int64(time.Hour), queued, Pending)
		tm.queue.push(to)
	}
	tm.queue.stripes[0].depth.Store(tm.queue.flooded.Load())
	var running, done sync.WaitGroup
	g.Lock()
	for range 2 {
		running.Add(1)
		done.Go(func() {
			running.Done()
			tm.worker.relieve(new(Timeout), deepened)
		})
	}
	running.Wait()
	time.Sleep(50 * time.Millisecond) // for both to wait; a sooner unlock could only hide a mistake
	g.Unlock()
	done.Wait()
	assert.Equal(t, 2*portion, g.wheel.count)
}

// Goroutines that arm and stop, and a holder of the lock that was interrupted, would otherwise each wait 10 ms
// for the next. If every producer yielded, the scheduler's lock would block many processors; if a task did
// that runs on the worker, due timeouts would wait for all others.
func TestOneProducerIn100usYieldsWhileTheLockIsTaken(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	tm := MustNew()
	defer tm.Stop()
	tm.worker.guarded.Lock()
	defer tm.worker.guarded.Unlock()
	turns := bystander(t)
	// yields returns how often a producer yields, beyond the preemptions that are to be expected, and for how long it ran.
	yields := func() (n int64, d time.Duration) {
		before, begun := turns.Load(), time.Now()
		for d < 20*time.Millisecond {
			tm.worker.relieve(new(Timeout), deepened)
			d = time.Since(begun)
		}
		return turns.Load() - before, d
	}
	tm.worker.wanted.Store(notWanted - 1)
	for begun := time.Now(); ; {
		n, d := yields()
		require.LessOrEqual(t, n, int64(d/(100*time.Microsecond)+d/(5*time.Millisecond))+2)
		if n > int64(d/time.Millisecond) {
			break
		}
		require.Less(t, time.Since(begun), 20*time.Second, "the producer does not yield")
	}
	tm.worker.wanted.Store(notWanted)
	n, d := yields()
	assert.LessOrEqual(t, n, int64(d/(5*time.Millisecond))+2, "the worker may run user code")
}

// With one processor, the worker would otherwise find the lock taken again when it wakes, or would not
// run before the scheduler preempts the producer.
func TestProducerYieldsToAWorkerWaitingForTheLock(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	g, tm := newGuarded()
	var isDone atomic.Bool
	g.Lock()
	go func() {
		defer isDone.Store(true)
		g.drain(0)
	}()
	for !waits(&tm.worker) {
		runtime.Gosched()
	}
	g.Unlock()
	assert.Less(t, pushesUntil(&isDone, tm), 20_000)
	assert.False(t, waits(&tm.worker))
}

// On one processor, a producer that helped would keep the worker from running.
func TestProducerDoesNotHelpOnceTheWorkersAlarmHasRung(t *testing.T) {
	skipIfSmall(t)
	g, tm := newGuarded()
	tm.queue.makeStripes(1) // of many stripes some would be flooded, as the addresses happen to be
	arm := func(n int) {
		for range n {
			tm.AfterFunc(time.Hour, func() {})
		}
	}
	tm.time.clock.(*ManualClock).Advance(time.Second)
	tm.worker.wanted.Store(tm.time.now())
	arm(limits.Most / 2)
	assert.Zero(t, g.wheel.count)
	tm.worker.wanted.Store(tm.time.now() + 1)
	arm(limits.Most / 2)
	assert.NotZero(t, g.wheel.count, "the alarm is still to ring")
	assert.Equal(t, limits.Most, tm.Pending())
}

func TestSleepingWorkerPublishesItsAlarmTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew(WithTick(time.Second))
		defer tm.Stop()
		tm.AfterFunc(9500*time.Millisecond, func() {})
		time.Sleep(2500 * time.Millisecond) // the worker has ticked twice, and sleeps until the timeout is due
		synctest.Wait()
		assert.Equal(t, int64(10*time.Second)+patienceNs, tm.worker.wanted.Load())
		assert.False(t, waits(&tm.worker))
		time.Sleep(8 * time.Second)
		synctest.Wait()
		assert.Equal(t, notWanted, tm.worker.wanted.Load(), "the worker has ended")
	})
}

func TestWorkerPublishesNoAlarmTimeOnAUsersClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew(WithTick(time.Second), WithClock(struct{ systemClock }{}))
		defer tm.Stop()
		tm.AfterFunc(time.Hour, func() {})
		time.Sleep(90 * time.Second)
		synctest.Wait()
		assert.Equal(t, notWanted, tm.worker.wanted.Load())
	})
}

func TestAdmitBoundsHowManyTimeoutsMayWait(t *testing.T) {
	skipIfSmall(t)
	var q mpscQueue
	q.makeStripes(8)
	for _, c := range []struct {
		n, deep, flooded int32
		sampled          uint32
	}{
		{0, 2, 4, 0},
		{833, 52, 104, 2},
		{4096, 256, 512, 5},
		{8192, 512, 1024, 6},
		{1 << 30, 512, 4096, 7},
	} {
		q.admit(int(c.n))
		assert.Equal(t, c.deep, q.deep.Load(), "deep, for %d", c.n)
		assert.Equal(t, c.flooded, q.flooded.Load(), "flooded, for %d", c.n)
		assert.Equal(t, c.sampled, q.sampled.Load(), "sampled, for %d", c.n)
	}
	q.makeStripes(256)
	assert.Equal(t, int32(16), q.deep.Load(), "with 64 processors")
	assert.Equal(t, uint32(3), q.sampled.Load(), "no stripe is deep by one push")
}

func TestAdmitDividesByTheNumberOfStripes(t *testing.T) {
	for stripes := 1; stripes <= 16; stripes *= 2 {
		q := newStripes(stripes)
		assert.Equal(t, int32(limits.Most/stripes), q.flooded.Load(), "flooded, with %d stripes", stripes)
		assert.Equal(t, int32(min(limits.Most/2, limits.Ahead)/stripes), q.deep.Load(), "deep, with %d stripes", stripes)
		q.admit(limits.Ahead)
		assert.Equal(t, int32(limits.Ahead/stripes), q.flooded.Load(), "flooded for fewer, with %d stripes", stripes)
		assert.Equal(t, int32(limits.Ahead/2/stripes), q.deep.Load(), "deep for fewer, with %d stripes", stripes)
	}
}

// If the system interrupts a drain it looks slow, and so few may wait then that no drain is long enough to measure.
func TestDrainOfAFewTimeoutsLetsMoreWait(t *testing.T) {
	tm := MustNew(WithClock(NewManualClock(time.Now())))
	tm.queue.admit(1)
	few := tm.queue.flooded.Load()
	for range 1000 { // each may be slow again
		tm.AfterFunc(time.Hour, func() {})
		tm.worker.passOnce()
	}
	assert.Greater(t, tm.queue.flooded.Load(), few)
}

func TestDrainOfAFewTimeoutsLetsNoFewerWait(t *testing.T) {
	tm := MustNew(WithClock(NewManualClock(time.Now())))
	tm.queue.admit(1 << 30)
	most := tm.queue.flooded.Load()
	for range 1000 {
		tm.AfterFunc(time.Hour, func() {})
		tm.worker.passOnce()
	}
	assert.Equal(t, most, tm.queue.flooded.Load())
}

// A worker that the system interrupts in a pass would come after all who spin, each for 10 ms.
func TestCallersYieldToAWorkerThatStaysAwayFromItsLock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew()
		defer tm.Stop()
		tm.worker.guarded.lockFirst()
		tm.worker.guarded.Unlock()
		time.Sleep(holdNs - 1)
		assert.False(t, waits(&tm.worker))
		time.Sleep(time.Nanosecond)
		assert.True(t, waits(&tm.worker))
	})
}

// Nothing is gained by yielding to a task, however long it keeps the worker.
func TestCallersDoNotYieldToAWorkerInUserCode(t *testing.T) {
	for name, e := range map[string]Executor{"Inline": Inline{}, "an executor": ExecutorFunc(func(f func()) { f() })} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := MustNew(WithExecutor(e))
				defer tm.Stop()
				tm.AfterFunc(time.Second, func() { time.Sleep(time.Hour) })
				time.Sleep(time.Minute)
				assert.False(t, waits(&tm.worker))
				time.Sleep(time.Hour)
				synctest.Wait()
				assert.Equal(t, notWanted, tm.worker.wanted.Load(), "the worker has ended")
			})
		})
	}
}

// waits reports whether the worker waits for the lock or, since its alarm has rung, for a processor.
func waits(wk *worker) bool { return wk.wanted.Load() <= wk.time.read() }
