package promises

import (
	"math/rand/v2"
	"runtime"
	"runtime/metrics"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestQuietWhileNothingIsPending(t *testing.T) {
	for name, settle := range map[string]func(to *hashedwheel.Timeout){
		"all expired":         func(to *hashedwheel.Timeout) { timertest.Pass(time.Hour) },
		"all canceled":        func(to *hashedwheel.Timeout) { to.Stop() },
		"all canceled, filed": func(to *hashedwheel.Timeout) { timertest.Pass(10 * timertest.Tick); to.Stop() },
		"all wait, filed":     func(*hashedwheel.Timeout) { timertest.Pass(time.Minute) },
		"all that are left are never due": func(to *hashedwheel.Timeout) {
			to.Reset(1 << 62)
		},
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				tm.Stats()
				synctest.Wait()
				assert.Zero(t, timertest.LibraryGoroutines(), "before the first arming")
				for range 3 { // the worker ends as often as it starts
					to := ownedFunc(tm, func() {
						assert.True(t, timertest.LibraryGoroutines() > 0 || timertest.Race, "it counts this one")
					})
					to.Reset(time.Hour)
					settle(to)
					timertest.Pass(3 * timertest.Tick)
					if name == "all that are left are never due" {
						timertest.Pass(time.Hour) // the worker reaches the slot where it was filed
					}
					assert.Zero(t, timertest.LibraryGoroutines())
				}
			})
		})
	}
}

// A dropped timer needs no Stop once nothing is pending.
func TestQuietSoThatADroppedTimerIsGarbage(t *testing.T) {
	for name, use := range map[string]func(tm *hashedwheel.Timer){
		"expired":         func(tm *hashedwheel.Timer) { tm.AfterFunc(timertest.Tick, timertest.Nop) },
		"stopped at once": func(tm *hashedwheel.Timer) { tm.AfterFunc(time.Hour, timertest.Nop).Stop() },
		"stopped once it was filed": func(tm *hashedwheel.Timer) {
			fileAndStop(tm.AfterFunc(time.Hour, timertest.Nop))
		},
		"moved earlier once it was filed": func(tm *hashedwheel.Timer) {
			to := tm.AfterFunc(time.Hour, timertest.Nop)
			timertest.Pass(timertest.LetGo)
			to.Reset(0)
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dropped := func() weak.Pointer[hashedwheel.Timer] {
					tm := timertest.New()
					use(tm)
					return weak.Make(tm)
				}()
				timertest.Pass(timertest.LetGo + 1) // in the last instant the time.Timers fire that are left
				timertest.AssertGarbage(t, dropped, "the Timer")
			})
		})
	}
}

// The worker runs for due timeouts, and a few more times.
func TestQuietExceptForDueTimeouts(t *testing.T) {
	for name, load := range map[string]struct {
		n            int
		first, apart time.Duration
		lasts        time.Duration
		wakeups      uint64
	}{
		"many far timeouts":        {10_000, time.Hour, time.Second, 50 * time.Minute, 5},
		"a burst for one time":     {10_000, time.Hour, 0, time.Minute, 5},
		"a crowd for never":        {10_000, 1<<63 - 1, 0, time.Minute, 5},
		"ticks that are far apart": {100, time.Second, time.Second, 200 * time.Second, 105},
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				for i := range load.n {
					tm.AfterFunc(load.first+time.Duration(i)*load.apart, timertest.Nop)
				}
				if limits.Deep < 4096 {
					load.wakeups += 5 // with -tags small a few are a crowd, and opened before they are due
				}
				assert.LessOrEqual(t, timertest.Wakeups(tm, load.lasts), load.wakeups)
			}, hashedwheel.WithWheelSize(8))
		})
	}
}

// A connection moves its idle timeout once a second: the worker visits it at the old deadline, not at each move.
func TestQuietWhileATimeoutIsMovedLater(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		idle := timertest.Owned(tm, timertest.NopTask)
		idle.Reset(time.Minute)
		timertest.Pass(5 * timertest.Tick)
		before := tm.Stats().Wakeups
		for range 3600 {
			idle.Reset(time.Minute)
			time.Sleep(time.Second)
		}
		assert.LessOrEqual(t, tm.Stats().Wakeups-before, uint64(60*5), "a few a minute")
		assert.Zero(t, tm.Stats().Expired)
	})
}

// Idle timeouts that are moved long before they are due wake the worker about as often as the queue does, not once a
// tick. A lone timeout among them is on time.
func TestQuietWhileManyTimeoutsAreMovedLater(t *testing.T) {
	if limits.Deep < 4096 {
		t.Skip("with -tags small a run looks at a few only, and the worker runs whenever a few dozen wait")
	}
	for name, c := range map[string]struct {
		n        int
		d, apart time.Duration
		size     int
		wakeups  uint64 // a second
	}{
		"100 of 40 ms":                {100, 40 * time.Millisecond, 10 * time.Millisecond, 512, 60},
		"10,000 of 5 s, many buckets": {10_000, 5 * time.Second, time.Second, 1 << 16, 60},
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				const seconds = 10
				all, rnd := make([]hashedwheel.Timeout, c.n), rand.New(rand.NewPCG(7, 7))
				var movers sync.WaitGroup
				for i := range all {
					all[i].Init(tm, timertest.NopTask).Reset(c.d)
				}
				movers.Go(func() { // each is moved once in apart
					for range seconds * time.Second / c.apart {
						for i := range all {
							time.Sleep(c.apart / time.Duration(len(all)))
							all[i].Move(c.d)
						}
					}
				})
				for range 50 {
					time.Sleep(time.Duration(rnd.Int64N(int64(seconds * time.Second / 60))))
					for _, late := range timertest.Lateness(tm, []time.Duration{time.Millisecond * 7 / 3}) {
						assert.LessOrEqual(t, late, timertest.Tick/10)
					}
				}
				movers.Wait()
				t.Logf("%d wake-ups a second", tm.Stats().Wakeups/seconds)
				assert.LessOrEqual(t, tm.Stats().Wakeups/seconds, c.wakeups)
				assert.EqualValues(t, 50, tm.Stats().Expired)
			}, hashedwheel.WithWheelSize(c.size))
		})
	}
}

// Runs that dispatch nothing, for timeouts that were stopped shortly before, count against the rate of one a tick.
func TestQuietWhileTimeoutsAreStoppedShortlyBeforeTheyAreDue(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const apart, seconds = 200 * time.Microsecond, 3
		for range seconds * time.Second / apart {
			to := tm.AfterFunc(100*time.Millisecond, timertest.Nop)
			time.AfterFunc(99*time.Millisecond, func() { to.Stop() })
			time.Sleep(apart)
		}
		t.Logf("%d wake-ups a second", tm.Stats().Wakeups/seconds)
		assert.LessOrEqual(t, tm.Stats().Wakeups/seconds, uint64(100+20+10))
	}, hashedwheel.WithTick(10*time.Millisecond))
}

// A worker that has run so often that it waits for the next tick is not overdue: callers start no goroutine to wake it.
func TestQuietWhileTheWorkerWaitsForItsTick(t *testing.T) {
	created := func() uint64 {
		goroutines := []metrics.Sample{{Name: "/sched/goroutines-created:goroutines"}}
		metrics.Read(goroutines)
		return goroutines[0].Value.Uint64()
	}
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		time.Sleep(time.Minute)
		late := timertest.LateLog{}
		for i := range time.Duration(20) { // the first run at once, the last at the next tick
			d := (5 + i) * time.Millisecond
			tm.AfterFunc(d, late.In(d))
		}
		time.Sleep(20 * time.Millisecond)
		before := created()
		for range 70 {
			time.Sleep(time.Millisecond)
			tm.AfterFunc(time.Hour, timertest.Nop).Stop()
		}
		assert.LessOrEqual(t, created()-before, uint64(10))
		timertest.Pass(time.Second)
		_, most := late.Assert(t, 20, 100*time.Millisecond)
		assert.Greater(t, most, 70*time.Millisecond, "it has waited")
	}, hashedwheel.WithTick(100*time.Millisecond))
}

// A client makes an occasional call: the worker runs for each.
func TestQuietCallsAllocateNothing(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond))
	defer tm.StopAll()
	to := timertest.Owned(tm, timertest.NopTask)
	quiet := runtime.NumGoroutine()
	call := func() {
		begun := time.Now()
		to.Reset(time.Millisecond)
		to.Stop()
		time.Sleep(3 * time.Millisecond) // usually the worker has run: Stats, which would show it, allocates
		for runtime.NumGoroutine() > quiet && time.Since(begun) < time.Second {
			time.Sleep(time.Millisecond)
		}
	}
	for range 10 {
		call()
	}
	hasGone := func() bool { return timertest.LibraryGoroutines() == 0 }
	require.Eventually(t, hasGone, 10*time.Second, time.Millisecond, "the worker")
	before := tm.Stats().Wakeups
	assert.Zero(t, testing.AllocsPerRun(100, call))
	assert.GreaterOrEqual(t, tm.Stats().Wakeups-before, uint64(50), "the worker ran for each")
}
