package keyed_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// A renewing fixture has a Map whose values are renewed as renew says.
type renewing struct {
	*fixture
	start time.Time
	renew func(k string, v int) time.Duration // set before the first arming
	mu    sync.Mutex                          // guards asked and ends
	asked []end                               // for which values renew was called, and when
}

// note appends an end to asked or ends.
func (x *renewing) note(all *[]end, k string, v int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	*all = append(*all, end{k, v, time.Since(x.start)})
}

// inRenewingBubble runs f on virtual time. Tasks run in goroutines.
func inRenewingBubble(t *testing.T, f func(x *renewing), opts ...hashedwheel.Option) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(append(opts, hashedwheel.WithTick(tick))...)
		defer tm.Stop()
		x := &renewing{fixture: &fixture{T: t, tm: tm}, start: time.Now()}
		x.m = keyed.NewRenewing(tm, func(k string, v int) time.Duration {
			x.note(&x.asked, k, v)
			return x.renew(k, v)
		}, func(k string, v int) { x.note(&x.ends, k, v) })
		f(x)
	})
}

func TestRenewedValueExpiresOnlyWhenRenewSaysSo(t *testing.T) {
	inRenewingBubble(t, func(x *renewing) {
		last := map[string]time.Duration{"used": 90 * time.Millisecond, "unused": 0}
		x.renew = func(k string, _ int) time.Duration {
			_, ok := x.m.Get(k)
			assert.True(t, ok, "it is still there")
			return last[k] + 100*time.Millisecond - time.Since(x.start)
		}
		x.set("used", 1, 100*time.Millisecond)
		x.pass(5 * time.Millisecond) // not at once, so that the two have an order
		x.set("unused", 2, 100*time.Millisecond)
		x.pass(time.Hour)
		const ms = time.Millisecond
		assert.Equal(t, []end{{"used", 1, 100 * ms}, {"unused", 2, 110 * ms}, {"used", 1, 190 * ms}}, x.asked)
		assert.Equal(t, []end{{"unused", 2, 110 * ms}, {"used", 1, 190 * ms}}, x.ends)
	})
}

// While renew runs for "a", whose value is 1, a call takes place, in another goroutine or in renew itself. Then renew
// returns, and renews no value that it is asked about after that.
func TestCallWhileRenewRuns(t *testing.T) {
	const (
		asked   = 50 * time.Millisecond
		renewed = asked + 30*time.Millisecond
		moved   = asked + 100*time.Millisecond
	)
	for name, test := range map[string]struct {
		call   func(x *renewing)
		kept   []end // how values end if renew returns 30 ms
		ended  []end // and if it returns 0
		stays  bool  // on a stopped timer, if renew returns 30 ms
		values int   // how many are in the map before renew returns
	}{
		"none": {
			call: func(*renewing) {}, values: 1,
			kept: []end{{"a", 1, renewed}}, ended: []end{{"a", 1, asked}},
		},
		"Get, GetOrSet, Deadline, Len and All": {
			call: func(x *renewing) {
				v, ok := x.m.Get("a")
				assert.Equal(x, "1 true", fmt.Sprint(v, ok))
				v, loaded, err := x.m.GetOrSet("a", 2, moved)
				assert.Equal(x, "1 true <nil>", fmt.Sprint(v, loaded, err))
				at, ok := x.m.Deadline("a")
				assert.Equal(x, "50ms true", fmt.Sprint(at.Sub(x.start), ok))
				assert.Equal(x, map[string]int{"a": 1}, x.content())
			}, values: 1,
			kept: []end{{"a", 1, renewed}}, ended: []end{{"a", 1, asked}},
		},
		"Set": {
			call: func(x *renewing) { x.set("a", 2, moved-asked) }, values: 1,
			kept: []end{{"a", 2, moved}}, ended: []end{{"a", 2, moved}},
		},
		"Swap": {
			call: func(x *renewing) {
				old, loaded, err := x.m.Swap("a", 2, moved-asked)
				assert.Equal(x, "1 true <nil>", fmt.Sprint(old, loaded, err))
			}, values: 1,
			kept: []end{{"a", 2, moved}}, ended: []end{{"a", 2, moved}},
		},
		"Touch": {
			call: func(x *renewing) { assert.True(x, x.touch("a", moved-asked)) }, values: 1,
			kept: []end{{"a", 1, moved}}, ended: []end{{"a", 1, moved}},
		},
		"Delete": {
			call: func(x *renewing) {
				v, ok := x.m.Delete("a")
				assert.Equal(x, "1 true", fmt.Sprint(v, ok))
			},
		},
		"CompareAndDelete": {
			call: func(x *renewing) { assert.True(x, x.m.CompareAndDelete("a", 1)) },
		},
		"Drain": {
			call: func(x *renewing) { x.m.Drain(func(_ string, v int) { assert.Equal(x, 1, v) }) },
		},
		"Delete and Set": {
			call: func(x *renewing) {
				x.m.Delete("a")
				x.set("a", 2, moved-asked)
			}, values: 1,
			kept: []end{{"a", 2, moved}}, ended: []end{{"a", 2, moved}},
		},
		"Timer.Stop": {
			call: func(x *renewing) { assert.Empty(x, x.tm.Stop()) }, values: 1,
			stays: true, ended: []end{{"a", 1, asked}},
		},
		"Timer.Stop and Drain": {
			call: func(x *renewing) {
				x.tm.Stop()
				x.m.Drain(func(string, int) {})
			},
		},
	} {
		for _, d := range []time.Duration{0, 30 * time.Millisecond} {
			for _, inside := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, %v, inside %v", name, d, inside), func(t *testing.T) {
					inRenewingBubble(t, func(x *renewing) {
						returns := make(chan bool)
						var again atomic.Bool
						x.renew = func(string, int) time.Duration {
							if again.Swap(true) {
								return 0
							}
							if inside {
								test.call(x)
							}
							<-returns
							return d
						}
						x.set("a", 1, asked)
						x.pass(asked)
						if !inside {
							test.call(x)
						}
						assert.Equal(t, test.values, x.m.Len())
						close(returns)
						x.pass(time.Hour)
						want := test.ended
						if d > 0 {
							want = test.kept
						}
						assert.Equal(t, want, x.ends)
						if test.stays && d > 0 {
							assert.Equal(t, map[string]int{"a": 1}, x.content())
							assert.False(t, x.touch("a", time.Hour))
							x.m.Drain(func(_ string, v int) { assert.Equal(t, 1, v) })
						}
						assert.Zero(t, x.m.Len())
					})
				})
			}
		}
	}
}

// No value is lost, and the others go on.
func TestValueWhoseRenewFailsExpires(t *testing.T) {
	for name, fail := range map[string]func(){
		"panic": func() { panic("on purpose") }, "Goexit": runtime.Goexit,
	} {
		t.Run(name, func(t *testing.T) {
			var recovered any
			handler := hashedwheel.WithPanicHandler(func(_ *hashedwheel.Timeout, p any) { recovered = p })
			inRenewingBubble(t, func(x *renewing) {
				x.renew = func(k string, _ int) time.Duration {
					if k == "a" {
						fail()
					}
					return 0
				}
				x.set("a", 1, 10*tick)
				x.set("b", 2, 20*tick)
				x.pass(time.Hour)
				assert.Equal(t, []end{{"a", 1, 10 * tick}, {"b", 2, 20 * tick}}, x.ends)
				assert.Equal(t, name == "panic", recovered == "on purpose")
			}, handler)
		})
	}
}

// Until renew returns its value stays in the map. All else goes on.
func TestRenewThatDoesNotReturnHoldsUpNoOtherValue(t *testing.T) {
	inRenewingBubble(t, func(x *renewing) {
		forever := make(chan bool)
		defer close(forever)
		x.renew = func(k string, _ int) time.Duration {
			if k == "a" {
				<-forever
			}
			return 0
		}
		x.set("a", 1, 10*tick)
		x.set("b", 2, 20*tick)
		x.pass(time.Hour)
		assert.Equal(t, []end{{"b", 2, 20 * tick}}, x.ends)
		assert.Equal(t, map[string]int{"a": 1}, x.content())
		x.set("a", 3, time.Hour)
		x.set("b", 4, time.Hour)
		assert.Equal(t, hashedwheel.ErrFull, x.m.Set("c", 5, time.Hour), "value 1 has no place any more")
	}, hashedwheel.WithMaxPending(2))
}

// A renewing map on a timer with one place. Once its value is due, the value has the place until it ends.
func TestRenewedValueKeepsItsPlaceUntilItsEnd(t *testing.T) {
	for name, test := range map[string]struct {
		answer time.Duration
		end    func(x *placed)
	}{
		"expired":              {end: func(x *placed) { x.held.Release() }},
		"deleted when due":     {end: func(x *placed) { x.m.Delete(1) }},
		"deleted and run":      {end: func(x *placed) { x.m.Delete(1); x.held.Release() }},
		"compared and deleted": {end: func(x *placed) { x.m.CompareAndDelete(1, 1) }},
		"drained":              {end: func(x *placed) { x.m.Drain(func(int, int) {}) }},
		"renewed and deleted":  {tick, func(x *placed) { x.renewed(); x.m.Delete(1) }},
		"renewed and expired": {tick, func(x *placed) {
			x.renewed()
			x.due()
			x.answer = 0
			x.held.Release()
		}},
		"renewed and deleted when due": {tick, func(x *placed) { x.renewed(); x.due(); x.m.Delete(1) }},
		"renew panics":                 {-1, func(x *placed) { x.held.Release() }},
		"deleted, and its Timeout armed by the panic handler": {-1, func(x *placed) {
			x.held.Release()
			x.failed.Reset(tick)
			x.due()
			x.held.Release()
		}},
	} {
		t.Run(name, func(t *testing.T) {
			x := &placed{T: t, held: new(timertest.HeldBack), answer: test.answer}
			x.clock, x.tm = timertest.NewManual(hashedwheel.WithTick(tick), hashedwheel.WithMaxPending(1),
				hashedwheel.WithExecutor(x.held),
				hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) { x.failed = to }))
			defer x.tm.Stop()
			x.m = keyed.NewRenewing(x.tm, func(int, int) time.Duration {
				if x.answer < 0 {
					panic("on purpose")
				}
				return x.answer
			}, func(int, int) { assert.NoError(t, x.place(), "expired may have the place") })
			require.NoError(t, x.m.Set(1, 1, tick))
			x.due()
			test.end(x)
			require.Zero(t, x.m.Len())
			require.NoError(t, x.m.Set(2, 2, time.Hour))
			require.Equal(t, hashedwheel.ErrFull, x.m.Set(3, 3, time.Hour))
		})
	}
}

type placed struct {
	*testing.T
	tm     *hashedwheel.Timer
	clock  *hashedwheel.ManualClock
	held   *timertest.HeldBack
	m      *keyed.Map[int, int]
	answer time.Duration // of renew; less than 0: it panics
	failed *hashedwheel.Timeout
}

// place returns why another timeout gets no place.
func (x *placed) place() error {
	to, err := x.tm.Schedule(time.Hour, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
	if err == nil {
		to.Stop()
	}
	return err
}

// due lets the deadline pass. The task is held back.
func (x *placed) due() {
	x.Helper()
	x.clock.Advance(2 * tick)
	if x.m.Len() > 0 {
		require.Equal(x, hashedwheel.ErrFull, x.place())
	}
}

// renewed runs renew.
func (x *placed) renewed() {
	x.Helper()
	x.held.Release()
	require.Equal(x, 1, x.tm.Pending())
	require.Equal(x, hashedwheel.ErrFull, x.place())
}
