package promises

import (
	"fmt"
	"runtime"
	"sync/atomic"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// payload is held by a task.
type payload [1 << 12]byte

// held is a timeout and its task's payload, by weak pointers.
type held struct {
	timeout weak.Pointer[hashedwheel.Timeout]
	payload weak.Pointer[payload]
}

// holding arms a timeout whose task holds a payload, and lets f end it.
//
//go:noinline
func holding(tm *hashedwheel.Timer, d time.Duration, f func(*hashedwheel.Timeout)) held {
	p := new(payload)
	to := tm.AfterFunc(d, func() { p[0]++ })
	f(to)
	return held{weak.Make(to), weak.Make(p)}
}

func (h held) assertGarbage(t *testing.T) {
	t.Helper()
	timertest.AssertGarbage(t, h.payload, "the payload of the task")
	timertest.AssertGarbage(t, h.timeout, "the timeout")
}

// kept returns how many of the payloads are still reachable.
func kept(all []held) (n int) {
	runtime.GC()
	for _, h := range all {
		if h.payload.Value() != nil {
			n++
		}
	}
	return n
}

func stop(to *hashedwheel.Timeout) { to.Stop() }

// fileAndStop stops a timeout that has been in the wheel for a while.
func fileAndStop(to *hashedwheel.Timeout) {
	to.Timer().Pending() // files it
	timertest.Pass(timertest.LetGo)
	to.Stop()
}

func TestSmallAndGarbageFreeSoonAfterStop(t *testing.T) {
	for name, end := range map[string]func(*hashedwheel.Timeout){
		"stopped in the tick of its arming": stop,
		"stopped in the wheel":              fileAndStop,
		"moved, then stopped": func(to *hashedwheel.Timeout) {
			to.Timer().Pending()
			timertest.Pass(timertest.LetGo)
			to.Reset(3 * time.Hour)
			to.Stop()
		},
		"stopped, armed and stopped": func(to *hashedwheel.Timeout) {
			fileAndStop(to)
			to.Reset(time.Hour)
			to.Stop()
		},
		"stopped, then refused": func(to *hashedwheel.Timeout) {
			to.Stop()
			_ = to.Arm(time.Hour)
		},
	} {
		for beside, load := range map[string]func(tm *hashedwheel.Timer){
			"beside a far one": func(tm *hashedwheel.Timer) { tm.AfterFunc(2*time.Hour, timertest.Nop) },
			"beside a beat":    beat, // the worker runs at each tick
		} {
			for _, d := range []time.Duration{3 * timertest.LetGo, time.Minute, time.Hour, 1 << 62} {
				for _, tick := range ticksOfAll {
					t.Run(fmt.Sprintf("%s, %s, tick %v, delay %v", name, beside, tick, d), func(t *testing.T) {
						timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
							load(tm)
							timertest.Pass(13 * time.Millisecond)
							h := holding(tm, d, end)
							timertest.Pass(max(2*tick, timertest.LetGo))
							h.assertGarbage(t)
							assert.Equal(t, 1, tm.Pending())
						}, hashedwheel.WithTick(tick), hashedwheel.WithMaxPending(1))
					})
				}
			}
		}
	}
}

// A timeout that the caller keeps does not keep its former neighbors.
func TestSmallAndGarbageFreeEvenIfTheNeighborIsKept(t *testing.T) {
	for name, end := range map[string]func(*hashedwheel.Timeout){
		"stopped at once": stop,
		"expired":         func(*hashedwheel.Timeout) {},
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				tm.AfterFunc(2*time.Hour, timertest.Nop)
				var kept []*hashedwheel.Timeout
				var others []held
				for range 10 {
					others = append(others, holding(tm, 10*timertest.Tick, end))
					to := tm.AfterFunc(10*timertest.Tick, timertest.Nop)
					end(to)
					kept = append(kept, to)
				}
				timertest.Pass(12 * timertest.Tick)
				for _, h := range others {
					h.assertGarbage(t)
				}
				runtime.KeepAlive(kept)
			})
		})
	}
}

func TestSmallAndGarbageFreeAfterTheTimersStop(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		queued := holding(tm, time.Hour, func(*hashedwheel.Timeout) {})
		filed := holding(tm, time.Hour, func(*hashedwheel.Timeout) { timertest.Pass(5 * timertest.Tick) })
		tm.StopAll()
		refused := holding(tm, time.Hour, func(*hashedwheel.Timeout) {})
		timertest.Pass(0)
		for _, h := range []held{queued, filed, refused} {
			h.assertGarbage(t)
		}
		runtime.KeepAlive(tm)
	})
}

// A task that has run is garbage even if another task of its batch never returns.
func TestCrewASlowTaskKeepsNothingFromTheCollector(t *testing.T) {
	const n = 64
	tm := timertest.New()
	defer tm.StopAll()
	over := make(chan struct{})
	defer close(over)
	var freed atomic.Int64
	for i := range n {
		to := tm.AfterFunc(2*timertest.Tick, func() {
			if i%2 == 0 {
				<-over
			}
		})
		runtime.AddCleanup(to, func(*atomic.Int64) { freed.Add(1) }, &freed)
	}
	require.Eventually(t, func() bool {
		runtime.GC()
		return freed.Load() >= n/2
	}, 20*time.Second, timertest.Tick)
}

// A hundred thousand timeouts are due at one tick, and each task takes 10 µs: a thousand ticks. Timeouts that are
// armed and stopped in the middle are released a hundred ticks later, not when all tasks have run.
func TestLongPassReleasesTimeoutsStoppedDuringIt(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const n, stops = 100_000, 100
		ran := 0
		var stopped []held
		task := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
			switch ran++; ran {
			case n / 20:
				for range stops {
					stopped = append(stopped, holding(tm, time.Hour, stop))
				}
			case n/20 + n/10: // 100 ms later
				assert.Zero(t, kept(stopped))
			}
			time.Sleep(10 * time.Microsecond)
		})
		all := make([]hashedwheel.Timeout, n)
		for i := range all {
			all[i].Init(tm, task)
			all[i].Reset(time.Second)
		}
		timertest.Pass(3 * time.Second)
		assert.Equal(t, n, ran)
	}, timertest.Inline)
}
