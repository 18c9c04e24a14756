package hashedwheel_test

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// payload is what a task holds.
type payload [1 << 12]byte

// held is a timeout and what its task holds, seen without holding them.
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
	runtime.GC()
	assert.Nil(t, h.payload.Value(), "what the task holds")
	assert.Nil(t, h.timeout.Value(), "the timeout")
}

func stop(to *hashedwheel.Timeout) { to.Stop() }

// fileAndStop stops a timeout that the wheel has had for long.
func fileAndStop(to *hashedwheel.Timeout) {
	pass(5 * oneTick)
	to.Stop()
}

func TestSmallAndGarbageFreeTwoTicksAfterStop(t *testing.T) {
	for name, end := range map[string]func(*hashedwheel.Timeout){
		"stopped in the tick of its arming": stop,
		"stopped in the wheel":              fileAndStop,
		"moved, then stopped": func(to *hashedwheel.Timeout) {
			pass(5 * oneTick)
			to.Reset(3 * time.Hour)
			to.Stop()
		},
		"stopped, armed and stopped": func(to *hashedwheel.Timeout) {
			fileAndStop(to)
			to.Reset(time.Hour)
			to.Stop()
		},
	} {
		for _, d := range []time.Duration{100 * oneTick, time.Hour, 1 << 62} {
			t.Run(name+", delay "+d.String(), func(t *testing.T) {
				inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					tm.AfterFunc(2*time.Hour, nop) // nothing to do until then
					h := holding(tm, d, end)
					pass(2 * oneTick)
					h.assertGarbage(t)
					assert.Equal(t, 1, tm.Pending())
				})
			})
		}
	}
}

// One that the caller keeps keeps none of its former neighbours.
func TestSmallAndGarbageFreeThoughTheNeighbourIsKept(t *testing.T) {
	for name, end := range map[string]func(*hashedwheel.Timeout){
		"stopped at once": stop,
		"expired":         func(*hashedwheel.Timeout) {},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				tm.AfterFunc(2*time.Hour, nop)
				var kept []*hashedwheel.Timeout
				var others []held
				for range 10 {
					others = append(others, holding(tm, 10*oneTick, end))
					to := tm.AfterFunc(10*oneTick, nop)
					end(to)
					kept = append(kept, to)
				}
				pass(12 * oneTick)
				for _, h := range others {
					h.assertGarbage(t)
				}
				runtime.KeepAlive(kept)
			})
		})
	}
}

func TestSmallAndGarbageFreeTwoTicksAfterExpiry(t *testing.T) {
	for name, opts := range withEitherExecutor {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				tm.AfterFunc(2*time.Hour, nop)
				h := holding(tm, 10*oneTick, func(*hashedwheel.Timeout) {})
				pass(12 * oneTick)
				h.assertGarbage(t)
			}, opts...)
		})
	}
}

func TestSmallAndGarbageFreeAfterARefusal(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(time.Hour, nop)
		h := holding(tm, oneTick, func(to *hashedwheel.Timeout) {
			require.Equal(t, hashedwheel.Rejected, to.State())
		})
		h.assertGarbage(t)
		runtime.KeepAlive(tm)
	}, hashedwheel.WithMaxPending(1))
}

func TestSmallAndGarbageFreeAfterTheTimersStop(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		queued := holding(tm, time.Hour, func(*hashedwheel.Timeout) {})
		filed := holding(tm, time.Hour, func(*hashedwheel.Timeout) { pass(5 * oneTick) })
		tm.Stop()
		refused := holding(tm, time.Hour, func(*hashedwheel.Timeout) {})
		pass(0)
		for _, h := range []held{queued, filed, refused} {
			h.assertGarbage(t)
		}
		runtime.KeepAlive(tm)
	})
}

// An owned timeout is part of what its task holds: the whole goes together.
type client struct {
	idle hashedwheel.Timeout
	payload
}

func (s *client) Run(*hashedwheel.Timeout) { s.payload[0]++ }

func TestSmallAndGarbageFreeForAnOwnedTimeout(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(2*time.Hour, nop)
		gone := func() weak.Pointer[client] {
			s := new(client)
			s.idle.Init(tm, s)
			s.idle.Reset(time.Hour)
			fileAndStop(&s.idle)
			return weak.Make(s)
		}()
		pass(2 * oneTick)
		runtime.GC()
		assert.Nil(t, gone.Value())
		runtime.KeepAlive(tm)
	})
}

// The first of a tick's tasks stops the others, which the worker has in hand.
func TestSmallAndGarbageFreeTwoTicksAfterASiblingStoppedIt(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(2*time.Hour, nop)
		all := stoppedBySibling(tm)
		pass(12 * oneTick)
		assert.Equal(t, uint64(1), tm.Stats().Expired)
		for _, h := range all {
			h.assertGarbage(t)
		}
	}, onWorker)
}

func stoppedBySibling(tm *hashedwheel.Timer) (all []held) {
	siblings := make([]*hashedwheel.Timeout, 3)
	for i := range siblings {
		p := new(payload)
		siblings[i] = owned(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
			p[0]++
			for _, to := range siblings {
				to.Stop()
			}
		}))
		all = append(all, held{weak.Make(siblings[i]), weak.Make(p)})
	}
	for _, to := range siblings {
		to.Reset(10 * oneTick)
	}
	return all
}
