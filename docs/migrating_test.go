package docs

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

type stopper interface {
	Stop() bool
	Reset(d time.Duration) bool
}

var (
	_ stopper = (*time.Timer)(nil)
	_ stopper = (*hashedwheel.Timeout)(nil)
)

func withTicks(tm *hashedwheel.Timer, f func(ticks <-chan struct{})) {
	ticks := make(chan struct{}, 1)
	series := tm.Every(time.Second, func() {
		select {
		case ticks <- struct{}{}:
		default: // the receiver is slow: drop it, as a Ticker does
		}
	})
	defer series.Stop()
	f(ticks)
}

func TestATickersChannelKeepsOneTickForASlowReceiver(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		begin := time.Now()
		withTicks(tm, func(ticks <-chan struct{}) {
			time.Sleep(3500 * time.Millisecond)
			<-ticks // kept; two more were dropped
			require.Equal(t, 3500*time.Millisecond, time.Since(begin))
			<-ticks
			fourth := begin.Add(4 * time.Second)
			assert.WithinRange(t, time.Now(), fourth, fourth.Add(tick))
		})
		assert.Zero(t, tm.Pending())
	})
}

func withTimeout(parent context.Context, tm *hashedwheel.Timer, d time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(parent)
	expire := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { cancel(context.DeadlineExceeded) })
	timeout, err := tm.Schedule(d, expire)
	if err != nil {
		cancel(err) // stopped or full; or fall back to context.WithTimeout
		return ctx, func() {}
	}
	return ctx, func() {
		timeout.Stop()
		cancel(context.Canceled)
	}
}

func TestWithTimeoutEndsAtItsDeadline(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		deadline := time.Now().Add(time.Second)
		ctx, cancel := withTimeout(t.Context(), tm, time.Second)
		defer cancel()
		<-ctx.Done()
		assert.WithinRange(t, time.Now(), deadline, deadline.Add(tick))
		assert.Equal(t, context.Canceled, ctx.Err())
		assert.Equal(t, context.DeadlineExceeded, context.Cause(ctx))
	})
}

func TestWithTimeoutIsCancelled(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		ctx, cancel := withTimeout(t.Context(), tm, time.Second)
		require.NoError(t, ctx.Err())
		cancel()
		assert.Equal(t, context.Canceled, context.Cause(ctx))
		assert.Zero(t, tm.Pending())
	})
}

func TestWithTimeoutIsPendingUntilCancelThoughItsParentHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		parent, end := context.WithCancel(t.Context())
		ctx, cancel := withTimeout(parent, tm, time.Second)
		end()
		<-ctx.Done()
		assert.Equal(t, 1, tm.Pending())
		cancel()
		assert.Zero(t, tm.Pending())
	})
}

func TestWithTimeoutThatIsRefusedHasEnded(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.Stop()
		ctx, cancel := withTimeout(t.Context(), tm, time.Second)
		defer cancel()
		<-ctx.Done()
		assert.Equal(t, hashedwheel.ErrStopped, context.Cause(ctx))
	})
}

// Keyed calls run once for each key whose time has come. A key that is set again
// has its value replaced and its time moved.
type Keyed[K comparable, V any] struct {
	timer *hashedwheel.Timer
	run   func(K, V)

	mu      sync.Mutex
	entries map[K]*entry[K, V]
}

type entry[K comparable, V any] struct {
	hashedwheel.Timeout
	owner *Keyed[K, V]
	key   K
	value V
}

func NewKeyed[K comparable, V any](tm *hashedwheel.Timer, run func(K, V)) *Keyed[K, V] {
	return &Keyed[K, V]{timer: tm, run: run, entries: make(map[K]*entry[K, V])}
}

// Set arms key, or moves it. It reports whether the timer took it.
func (k *Keyed[K, V]) Set(key K, value V, d time.Duration) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.entries[key]
	if e == nil {
		e = &entry[K, V]{owner: k, key: key}
		e.Init(k.timer, e)
		k.entries[key] = e
	}
	if !k.arm(e, d) {
		return false
	}
	e.value = value // not before: if the timer is stopped the old one is drained
	return true
}

// Move moves key, and reports whether it was there.
func (k *Keyed[K, V]) Move(key K, d time.Duration) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.entries[key]
	return e != nil && k.arm(e, d)
}

// Remove removes key, and reports whether that kept it from running.
func (k *Keyed[K, V]) Remove(key K) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	e := k.entries[key]
	if e == nil {
		return false
	}
	delete(k.entries, key)
	e.Timeout.Stop()
	return true
}

func (k *Keyed[K, V]) arm(e *entry[K, V], d time.Duration) bool {
	e.Reset(d)
	if e.State() != hashedwheel.Rejected {
		return true
	}
	delete(k.entries, e.key) // the timer is stopped or full
	return false
}

// Run is called by the timer. It looks once more under the lock: the key may
// have been removed or moved, or the timer stopped, after its time had come.
func (e *entry[K, V]) Run(*hashedwheel.Timeout) {
	k := e.owner
	k.mu.Lock()
	if k.entries[e.key] != e || e.State() != hashedwheel.Expired {
		k.mu.Unlock()
		return
	}
	delete(k.entries, e.key)
	value := e.value
	k.mu.Unlock()
	k.run(e.key, value)
}

func drain(tm *hashedwheel.Timer, save func(string, int)) {
	for _, to := range tm.Stop() {
		if e, ok := to.Task().(*entry[string, int]); ok {
			e.owner.mu.Lock() // a Set may be under way
			value := e.value
			e.owner.mu.Unlock()
			save(e.key, value)
		}
	}
}

// onKeyed is inBubble with a Keyed, whose runs are returned by ran.
func onKeyed(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer, k *Keyed[string, int], ran func() []string), opts ...hashedwheel.Option) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var mu sync.Mutex
		var runs []string
		k := NewKeyed(tm, func(key string, value int) {
			mu.Lock()
			defer mu.Unlock()
			runs = append(runs, fmt.Sprint(key, "=", value))
		})
		f(t, tm, k, func() []string {
			mu.Lock()
			defer mu.Unlock()
			return runs
		})
	}, opts...)
}

func TestAKeyRunsOnceWithItsLastValueAtItsLastTime(t *testing.T) {
	onKeyed(t, func(t *testing.T, _ *hashedwheel.Timer, k *Keyed[string, int], ran func() []string) {
		require.True(t, k.Set("a", 1, time.Second))
		require.True(t, k.Set("a", 2, time.Minute))
		pass(time.Minute - 2*tick)
		require.Empty(t, ran())
		pass(tick)
		require.Equal(t, []string{"a=2"}, ran())
		assert.False(t, k.Move("a", time.Second), "it is no longer there")
		pass(time.Minute)
		assert.Len(t, ran(), 1)
	})
}

func TestAKeyIsMoved(t *testing.T) {
	onKeyed(t, func(t *testing.T, _ *hashedwheel.Timer, k *Keyed[string, int], ran func() []string) {
		require.True(t, k.Set("sooner", 1, time.Hour))
		require.True(t, k.Set("later", 2, time.Second))
		require.True(t, k.Move("sooner", time.Second))
		require.True(t, k.Move("later", time.Hour))
		pass(time.Second)
		assert.Equal(t, []string{"sooner=1"}, ran())
		assert.False(t, k.Move("never set", time.Second))
	})
}

func TestAKeyThatIsRemovedDoesNotRun(t *testing.T) {
	onKeyed(t, func(t *testing.T, tm *hashedwheel.Timer, k *Keyed[string, int], ran func() []string) {
		require.True(t, k.Set("a", 1, time.Second))
		assert.True(t, k.Remove("a"))
		assert.False(t, k.Remove("a"))
		assert.Zero(t, tm.Pending())
		pass(time.Second)
		assert.Empty(t, ran())
	})
}

func TestAKeyIsStillRemovedOrMovedAfterItsTimeHadCome(t *testing.T) {
	due := make(chan func(), 10)
	keep := hashedwheel.ExecutorFunc(func(f func()) { due <- f })
	onKeyed(t, func(t *testing.T, _ *hashedwheel.Timer, k *Keyed[string, int], ran func() []string) {
		for _, key := range []string{"removed", "moved", "replaced", "left alone"} {
			require.True(t, k.Set(key, 1, time.Second))
		}
		pass(time.Second)
		assert.True(t, k.Remove("removed"))
		assert.True(t, k.Move("moved", time.Second))
		assert.True(t, k.Set("replaced", 2, time.Second))
		require.Len(t, due, 4)
		for range 4 {
			(<-due)()
		}
		require.Equal(t, []string{"left alone=1"}, ran())
		pass(time.Second)
		require.Len(t, due, 2)
		for range 2 {
			(<-due)()
		}
		assert.ElementsMatch(t, []string{"left alone=1", "moved=1", "replaced=2"}, ran())
	}, hashedwheel.WithExecutor(keep))
}

func TestAFullTimerRefusesANewKeyButMovesAnOldOne(t *testing.T) {
	onKeyed(t, func(t *testing.T, _ *hashedwheel.Timer, k *Keyed[string, int], ran func() []string) {
		require.True(t, k.Set("a", 1, time.Second))
		assert.False(t, k.Set("b", 1, time.Second))
		assert.NotContains(t, k.entries, "b")
		assert.True(t, k.Set("a", 2, time.Second))
		pass(time.Second)
		assert.Equal(t, []string{"a=2"}, ran())
		assert.True(t, k.Set("b", 2, time.Second), "there is room again")
	}, hashedwheel.WithMaxPending(1))
}

func TestADrainReturnsTheKeysThatAreLeft(t *testing.T) {
	onKeyed(t, func(t *testing.T, tm *hashedwheel.Timer, k *Keyed[string, int], ran func() []string) {
		require.True(t, k.Set("due", 1, time.Second))
		require.True(t, k.Set("a", 2, time.Minute))
		require.True(t, k.Set("b", 3, time.Hour))
		tm.AfterFunc(time.Hour, func() {}) // of no key
		pass(time.Second)
		left := map[string]int{}
		drain(tm, func(key string, value int) {
			left[key] = value
			for _, late := range []string{"a", "b", "c"} {
				assert.False(t, k.Set(late, 4, time.Second))
			}
		})
		assert.Equal(t, map[string]int{"a": 2, "b": 3}, left)
		pass(time.Hour)
		assert.Equal(t, []string{"due=1"}, ran())
	})
}

func TestADrainSavesTheLastValueThatWasTaken(t *testing.T) {
	for range 100 {
		onKeyed(t, func(t *testing.T, tm *hashedwheel.Timer, k *Keyed[string, int], _ func() []string) {
			begun, taken := make(chan bool), make(chan int)
			go func() {
				begun <- k.Set("a", 0, time.Minute)
				value := 1
				for k.Set("a", value, time.Minute) {
					value++
				}
				taken <- value - 1
			}()
			require.True(t, <-begun)
			saved := -1
			drain(tm, func(_ string, value int) { saved = value })
			assert.Equal(t, <-taken, saved)
		})
	}
}
