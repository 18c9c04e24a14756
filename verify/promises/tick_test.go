package promises

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// A tick is a bound. Where few timeouts expire, each is on time. Where many do, the worker runs once a tick.

// everyCall has each call that arms or moves; each has f called d from now.
var everyCall = map[string]func(tm *hashedwheel.Timer, d time.Duration, f func()){
	"AfterFunc": func(tm *hashedwheel.Timer, d time.Duration, f func()) { tm.AfterFunc(d, f) },
	"Schedule": func(tm *hashedwheel.Timer, d time.Duration, f func()) {
		_, _ = tm.Schedule(d, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { f() }))
	},
	"Reset":   func(tm *hashedwheel.Timer, d time.Duration, f func()) { ownedFunc(tm, f).Reset(d) },
	"ResetAt": func(tm *hashedwheel.Timer, d time.Duration, f func()) { ownedFunc(tm, f).ResetAt(tm.Now().Add(d)) },
	"Arm":     func(tm *hashedwheel.Timer, d time.Duration, f func()) { _ = ownedFunc(tm, f).Arm(d) },
	"ArmAt":   func(tm *hashedwheel.Timer, d time.Duration, f func()) { _ = ownedFunc(tm, f).ArmAt(tm.Now().Add(d)) },
	"Reset to earlier": func(tm *hashedwheel.Timer, d time.Duration, f func()) {
		tm.AfterFunc(d+time.Hour, f).Reset(d)
	},
	"Reset to later": func(tm *hashedwheel.Timer, d time.Duration, f func()) {
		tm.AfterFunc(d/2, f).Reset(d)
	},
	"Move to earlier": func(tm *hashedwheel.Timer, d time.Duration, f func()) {
		tm.AfterFunc(2*d, f).Move(d)
	},
	"MoveAt to later": func(tm *hashedwheel.Timer, d time.Duration, f func()) {
		tm.AfterFunc(d/2, f).MoveAt(tm.Now().Add(d))
	},
	"again after Stop": func(tm *hashedwheel.Timer, d time.Duration, f func()) {
		to := tm.AfterFunc(d/2, f)
		to.Stop()
		to.Reset(d)
	},
	"Every": func(tm *hashedwheel.Timer, d time.Duration, f func()) {
		tm.Every(max(1, d), func(s *hashedwheel.Series) { s.Stop(); f() })
	},
	"After": func(tm *hashedwheel.Timer, d time.Duration, f func()) {
		c := tm.After(d)
		go func() { <-c; f() }()
	},
}

func ownedFunc(tm *hashedwheel.Timer, f func()) *hashedwheel.Timeout {
	return new(hashedwheel.Timeout).InitFunc(tm, f)
}

var ticksOfEachKind = []time.Duration{
	100 * time.Microsecond, 150 * time.Microsecond, 199_999, 999_999, time.Millisecond, 7_777_777,
	100 * time.Millisecond,
}

// Calls are made at random times, a tick or ten apart, for soon, for later, and for much later, next to other wake-ups.
func TestNeverEarlyNorMoreThanATickLateByEveryCallAtAnyTime(t *testing.T) {
	for name, call := range everyCall {
		t.Run(name, func(t *testing.T) {
			forEachTick(t, func(t *testing.T, tm *hashedwheel.Timer) {
				const n = 300
				tick, rnd := tm.Tick(), rand.New(rand.NewPCG(1, uint64(tm.Tick())))
				var log timertest.LateLog
				for i := range n {
					apart := []time.Duration{tick / 10, tick, 10 * tick}[i/20%3]
					time.Sleep(time.Duration(rnd.Int64N(int64(apart))))
					d := []time.Duration{tick, 20 * tick, 300 * time.Millisecond}[rnd.IntN(3)]
					d = time.Duration(rnd.Int64N(int64(d)))
					call(tm, d, log.In(d))
					if rnd.IntN(5) == 0 { // a needless wake-up
						tm.AfterFunc(time.Duration(rnd.Int64N(int64(5*tick))), timertest.Nop).Stop()
					}
				}
				timertest.Pass(30*tick + time.Second)
				sum, _ := log.Assert(t, n, tick)
				if name != "After" { // its channels are shared
					assert.InDelta(t, sum, tm.Stats().LatenessSum, n, "Every has a period of at least 1 ns")
				}
			}, ticksOfEachKind...)
		})
	}
}

// Loads next to which, or after which, a lone timeout is on time.
var besides = map[string]func(tm *hashedwheel.Timer){
	"a rest": func(*hashedwheel.Timer) {},
	// The worker takes the queue more often than once a tick.
	"timeouts that are stopped": func(tm *hashedwheel.Timer) {
		go func() {
			for range 10_000 {
				to := tm.AfterFunc(time.Minute, timertest.Nop)
				time.Sleep(3 * time.Millisecond)
				to.Stop()
				time.Sleep(7 * time.Millisecond)
			}
		}()
	},
	// A task that ends the worker's goroutine has another begin a run. That leaves no debt that lasts.
	"tasks that end the worker": func(tm *hashedwheel.Timer) {
		for range 500 {
			tm.AfterFunc(tm.Tick(), runtime.Goexit)
			timertest.Pass(tm.Tick() + tm.Tick()/10)
		}
		time.Sleep(30 * tm.Tick())
	},
}

// A run of the worker that only takes the queue, as 50 ms after an arming, makes no timeout wait for a whole tick.
func TestOnTimeIfAlone(t *testing.T) {
	for name, load := range besides {
		t.Run(name, func(t *testing.T) {
			forEachTick(t, func(t *testing.T, tm *hashedwheel.Timer) {
				load(tm)
				for i := range time.Duration(40) {
					d := 45*time.Millisecond + i*time.Millisecond/3
					time.Sleep(5*tm.Tick() + i*time.Millisecond)
					assert.Zero(t, timertest.Lateness(tm, []time.Duration{d})[0], d)
				}
				time.Sleep(200 * time.Second)
			}, time.Millisecond, 10*time.Millisecond, 60*time.Millisecond, 100*time.Millisecond, time.Second)
		})
	}
}

func TestOnTimeByEveryCallWhereFewExpire(t *testing.T) {
	for name, call := range everyCall {
		if name == "After" {
			continue // its channels are shared by whole ticks
		}
		t.Run(name, func(t *testing.T) {
			forEachTick(t, func(t *testing.T, tm *hashedwheel.Timer) {
				const n = 100
				rnd := rand.New(rand.NewPCG(2, uint64(tm.Tick())))
				var log timertest.LateLog
				for range n {
					d := 30*time.Millisecond + time.Duration(rnd.Int64N(int64(40*time.Millisecond)))
					call(tm, d, log.In(d))
					timertest.Pass(d + tm.Tick())
				}
				log.Assert(t, n, 0)
			}, time.Millisecond, 2*time.Millisecond)
		})
	}
}

// runsIn returns when the worker ran tasks, of timeouts with the given delays.
func runsIn(tm *hashedwheel.Timer, delays ...time.Duration) (runs []time.Duration) {
	start := time.Now()
	for _, d := range delays {
		tm.AfterFunc(d, func() {
			if now := time.Since(start); len(runs) == 0 || now > runs[len(runs)-1] {
				runs = append(runs, now)
			}
		})
	}
	timertest.Pass(slices.Max(delays) + 2*timertest.Tick)
	return runs
}

// A timeout is due at each tenth of a tick. After a rest the worker runs for each, until it has run ten times more
// than once a tick, and then once a tick, until it has rested again.
func TestOnTimeInABurstThenOnceATick(t *testing.T) {
	if limits.Batch < 64 {
		t.Skip("with -tags small a bucket of a few timeouts waits for the end of its tick")
	}
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const tenth = timertest.Tick / 10
		var delays, want []time.Duration
		for i := range time.Duration(61) {
			delays = append(delays, timertest.Tick+i*tenth)
			if i <= 11 || i%10 == 0 {
				want = append(want, delays[i])
			}
		}
		for _, rest := range []time.Duration{100 * timertest.Tick, 10_000 * timertest.Tick} {
			time.Sleep(rest)
			assert.Equal(t, want, runsIn(tm, delays...))
		}
	}, timertest.Inline)
}

// 20,000 timeouts expire a second: the worker runs once a tick, so they are half a tick late on average.
func TestQuietAndAtMostOneTickLateWhereManyExpire(t *testing.T) {
	for name, call := range everyCall {
		t.Run(name, func(t *testing.T) {
			forEachTick(t, func(t *testing.T, tm *hashedwheel.Timer) {
				const n = 20_000
				rnd := rand.New(rand.NewPCG(3, uint64(tm.Tick())))
				var log timertest.LateLog
				for range n {
					d := 100*time.Millisecond + time.Duration(rnd.Int64N(int64(time.Second)))
					call(tm, d, log.In(d))
				}
				timertest.Pass(100*time.Millisecond - 1)
				wakeups := timertest.Wakeups(tm, time.Second+2*tm.Tick())
				sum, _ := log.Assert(t, n, tm.Tick())
				assert.InDelta(t, n*tm.Tick()/2, sum, float64(n*tm.Tick()/20))
				if limits.Deep >= 4096 { // with -tags small the worker also runs whenever a few wait in the queue
					const few = 40 // 20 a second for stopped timeouts in the queue, and a burst
					assert.LessOrEqual(t, wakeups, uint64(time.Second/tm.Tick())+few)
				}
			}, time.Millisecond)
		})
	}
}

// Timeouts expire all the time: the worker runs once a tick, even if the tick is not a multiple of ten times 100 µs.
func TestQuietOnceATickWhateverTheTickWhileManyExpire(t *testing.T) {
	forEachTick(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ticks := time.Second / tm.Tick()
		for range 5 * ticks {
			tm.AfterFunc(tm.Tick()/3, timertest.Nop)
			time.Sleep(tm.Tick() / 5)
		}
		assert.InDelta(t, ticks, tm.Stats().Wakeups, float64(ticks)/50)
	}, 150*time.Microsecond, 199_999, 999_999, time.Millisecond, time.Millisecond+1, 7_777_777)
}
