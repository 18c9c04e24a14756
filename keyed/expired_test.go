package keyed_test

import (
	"maps"
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

// Either the executor blocks the worker, which reaches the expired values seconds later, or it has their tasks and runs
// them seconds later.
func TestExpiredValueIsAbsentWhileTheExecutorIsBehind(t *testing.T) {
	const late = 3 * time.Second
	for name, behind := range map[string]hashedwheel.ExecutorFunc{
		"it blocks":         func(f func()) { time.Sleep(late); f() },
		"it has their task": func(f func()) { go func() { time.Sleep(late); f() }() },
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				tm.AfterFunc(time.Millisecond, timertest.Nop) // an executor that blocks has blocked the worker before
				absent(t, tm)
			}, hashedwheel.WithExecutor(behind))
		})
	}
}

// absent makes each call for a value that has expired, and counts the ends of the values.
func absent(t *testing.T, tm *hashedwheel.Timer) {
	var mu sync.Mutex
	counts := map[string]int{} // guarded by mu
	m := keyed.New(tm, func(_ int, v string) {
		mu.Lock()
		defer mu.Unlock()
		counts[v]++
	})
	ends := func() map[string]int {
		mu.Lock()
		defer mu.Unlock()
		return maps.Clone(counts)
	}
	values := []string{"left alone", "set again", "swapped", "got or set", "got or set twice"}
	for k, v := range values {
		require.NoError(t, m.Set(k, v, 10*time.Millisecond))
	}
	timertest.Pass(10*time.Millisecond - 1)
	require.Equal(t, 5, found(m))
	timertest.Pass(1)
	for k := range 5 {
		v, ok := m.Get(k)
		assert.False(t, ok)
		assert.Zero(t, v)
		_, ok = m.Deadline(k)
		assert.False(t, ok)
		_, ok = m.Touch(k, time.Hour)
		assert.False(t, ok)
		_, ok = m.Delete(k)
		assert.False(t, ok)
		assert.False(t, m.CompareAndDelete(k, values[k]))
	}
	for k := range m.All() {
		assert.Fail(t, "All", k)
	}
	timertest.Pass(10 * time.Millisecond) // the worker may have found them
	assert.Equal(t, 5, m.Len())
	assert.NoError(t, m.Set(1, "new by Set", time.Hour))
	old, loaded, err := m.Swap(2, "new by Swap", time.Hour)
	assert.NoError(t, err)
	assert.True(t, loaded)
	assert.Equal(t, "swapped", old)
	for k, d := range map[int]time.Duration{3: time.Hour, 4: 10 * time.Millisecond} {
		v, loaded, err := m.GetOrSet(k, "new by GetOrSet", d)
		assert.NoError(t, err)
		assert.False(t, loaded)
		assert.Equal(t, "new by GetOrSet", v)
	}
	assert.Equal(t, 7, m.Len(), "two values each of 3 and 4")
	assert.Equal(t, 4, found(m))
	timertest.Pass(10 * time.Millisecond)
	assert.Equal(t, 3, found(m))
	v, loaded, err := m.GetOrSet(4, "third", time.Hour)
	assert.NoError(t, err)
	assert.False(t, loaded)
	assert.Equal(t, "third", v)
	assert.Equal(t, 8, m.Len())
	assert.Empty(t, ends())

	timertest.Pass(time.Minute)
	assert.Equal(t, map[string]int{
		"left alone": 1, "got or set": 1, "got or set twice": 1, "new by GetOrSet": 1,
	}, ends())
	assert.Equal(t, 4, m.Len())
	assert.Equal(t, 4, found(m))
	timertest.Pass(2 * time.Hour)
	assert.Equal(t, map[string]int{
		"left alone": 1, "got or set": 1, "got or set twice": 1, "new by GetOrSet": 2,
		"new by Set": 1, "new by Swap": 1, "third": 1,
	}, ends())
	assert.Zero(t, m.Len())
}

// found returns how many values All finds, and checks that Get finds them.
func found[K comparable, V comparable](m *keyed.Map[K, V]) (n int) {
	for k, v := range m.All() {
		got, ok := m.Get(k)
		if ok && got == v {
			n++
		}
	}
	return n
}

func TestDrainGivesValuesWhoseTaskIsStillToCallExpired(t *testing.T) {
	held := new(timertest.HeldBack)
	clock, tm := timertest.NewManual(hashedwheel.WithExecutor(held))
	defer tm.Stop()
	m := keyed.New(tm, func(int, int) { t.Error("expired") })
	for k := range 10 {
		require.NoError(t, m.Set(k, k, tick))
	}
	clock.Advance(tick)
	for k := range 5 {
		_, _, err := m.GetOrSet(k, 10+k, time.Hour)
		require.NoError(t, err)
	}
	seen := map[int]int{}
	assert.PanicsWithValue(t, "on purpose", func() {
		m.Drain(func(_, v int) {
			seen[v]++
			if v < 5 {
				panic("on purpose") // with the first of those that GetOrSet has superseded
			}
		})
	})
	assert.Equal(t, 4, m.Len(), "the others stay")
	var drain func(k, v int)
	drain = func(k, v int) {
		assert.Equal(t, k, v%10)
		seen[v]++
		if v < 5 {
			m.Drain(drain) // leaves nothing to the first Drain, which has a list of these four
		}
	}
	m.Drain(drain)
	once(t, seen, 15)
	held.Release()
	assert.Zero(t, m.Len())
}

// A Get that had to pass all expired values of its key would take longer with each.
func TestExpiredValuesOfAKeyAreNotInItsTable(t *testing.T) {
	const n = 1000
	held := new(timertest.HeldBack)
	clock, tm := timertest.NewManual(hashedwheel.WithExecutor(held))
	defer tm.Stop()
	seen := map[int]int{}
	m := keyed.New(tm, func(_, v int) { seen[v]++ })
	for v := range n {
		_, loaded, err := m.GetOrSet(1, v, 0)
		require.NoError(t, err)
		require.False(t, loaded)
	}
	assert.Equal(t, 1, m.InTables())
	assert.Equal(t, n, m.Len())
	clock.Advance(tick)
	held.Release()
	once(t, seen, n)
	assert.Zero(t, m.Len())
}

// A slowClock lets a test act between a reading of the clock and its use. Its timer's worker is never woken.
type slowClock struct {
	*hashedwheel.ManualClock
	between atomic.Pointer[func()]
}

func (c *slowClock) Now() time.Time {
	now := c.ManualClock.Now()
	if f := c.between.Swap(nil); f != nil {
		(*f)()
	}
	return now
}

func (c *slowClock) After(time.Duration) <-chan time.Time { return nil }

// A call reads the clock, then another call, which reads a later time, does not find the value.
func TestNoCallFindsAValueThatAnotherHasMissed(t *testing.T) {
	type intMap = keyed.Map[int, int]
	for name, missed := range map[string]func(m *intMap) (ok bool){
		"by Get":              func(m *intMap) bool { _, ok := m.Get(1); return !ok },
		"by Touch":            func(m *intMap) bool { _, ok := m.Touch(1, 0); return !ok },
		"by All":              func(m *intMap) bool { return found(m) == 0 },
		"before a split":      func(m *intMap) bool { _, ok := m.Get(1); m.Split(); return !ok },
		"set without a delay": func(m *intMap) bool { err := m.Set(1, 1, 0); m.Split(); return err == nil },
		"moved to now":        func(m *intMap) bool { _ = m.Set(1, 1, time.Hour); _, ok := m.Touch(1, 0); return ok },
	} {
		for call, finds := range map[string]func(m *intMap) bool{
			"Touch":            func(m *intMap) bool { _, ok := m.Touch(1, time.Hour); return ok },
			"Delete":           func(m *intMap) bool { _, ok := m.Delete(1); return ok },
			"Deadline":         func(m *intMap) bool { _, ok := m.Deadline(1); return ok },
			"CompareAndDelete": func(m *intMap) bool { return m.CompareAndDelete(1, 1) },
			"GetOrSet":         func(m *intMap) bool { _, loaded, _ := m.GetOrSet(1, 2, time.Hour); return loaded },
			"All":              func(m *intMap) bool { return found(m) > 0 },
		} {
			synctest.Test(t, func(t *testing.T) {
				clock := &slowClock{ManualClock: hashedwheel.NewManualClock(time.Now())}
				tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))
				m := keyed.New(tm, func(int, int) {})
				require.NoError(t, m.Set(1, 1, tick))
				synctest.Wait() // the worker has read the clock
				between := func() {
					clock.Advance(2 * tick)
					require.True(t, missed(m), name)
				}
				clock.between.Store(&between)
				assert.False(t, finds(m), "%s, missed %s", call, name)
				tm.Stop()
			})
		}
	}
}

func TestStoppedTimerExpiresNoValue(t *testing.T) {
	held := new(timertest.HeldBack)
	clock, tm := timertest.NewManual(hashedwheel.WithExecutor(held))
	expired := 0
	m := keyed.New(tm, func(int, int) { expired++ })
	for k := range 300 {
		require.NoError(t, m.Set(k, k, map[int]time.Duration{0: 0, 1: tick, 2: 2 * tick}[k/100]))
	}
	m.Split()
	tm.Stop()
	assert.Equal(t, 200, found(m), "no delay: never found")
	clock.Advance(time.Hour)
	assert.Equal(t, 200, found(m))
	assert.Equal(t, hashedwheel.ErrStopped, m.Set(300, 0, 0))
	assert.Equal(t, hashedwheel.ErrStopped, m.Set(150, 0, 0))
	_, loaded, err := m.GetOrSet(150, 0, 0)
	assert.True(t, loaded)
	assert.NoError(t, err)
	_, _, err = m.GetOrSet(50, 0, 0)
	assert.Equal(t, hashedwheel.ErrStopped, err)
	_, ok := m.Touch(150, time.Hour)
	assert.False(t, ok)
	assert.Equal(t, 200, found(m))
	assert.Equal(t, 300, m.Len())
	_, ok = m.Delete(150)
	assert.True(t, ok)
	seen := map[int]int{150: 1}
	m.Drain(func(k, _ int) { seen[k]++ })
	once(t, seen, 300)
	assert.Zero(t, expired)
}

// A value that a call has missed before the stop does not come back.
func TestStopBringsNoValueBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(timertest.Inline)
		tm.AfterFunc(0, func() { time.Sleep(time.Minute) }) // the worker expires nothing meanwhile
		time.Sleep(time.Second)
		m := keyed.New(tm, func(int, int) {})
		require.NoError(t, m.Set(1, 1, tick))
		time.Sleep(tick)
		_, ok := m.Get(1)
		assert.False(t, ok)
		tm.Stop()
		_, ok = m.Get(1)
		assert.False(t, ok)
		assert.Equal(t, 1, m.Len())
		time.Sleep(time.Minute)
	})
}

func TestFullTimerRefusesNewKeysAlone(t *testing.T) {
	_, tm := timertest.NewManual(hashedwheel.WithMaxPending(2))
	defer tm.Stop()
	m := keyed.New(tm, func(int, int) {})
	require.NoError(t, m.Set(1, 1, time.Hour))
	require.NoError(t, m.Set(2, 2, time.Hour))
	assert.Equal(t, hashedwheel.ErrFull, m.Set(3, 3, time.Hour))
	_, _, err := m.GetOrSet(3, 3, time.Hour)
	assert.Equal(t, hashedwheel.ErrFull, err)
	assert.NoError(t, m.Set(1, 10, time.Hour))
	_, ok := m.Touch(1, 2*time.Hour)
	assert.True(t, ok)
	_, loaded, err := m.GetOrSet(1, 3, time.Hour)
	assert.NoError(t, err)
	assert.True(t, loaded)
	assert.Equal(t, 2, m.Len())
	m.Delete(2)
	assert.NoError(t, m.Set(3, 3, time.Hour))
}

// The key is due, and its permit is another's.
func TestFullTimerMovesKeysWhoseRenewIsAsked(t *testing.T) {
	for name, call := range map[string]func(m *keyed.Map[int, int]) bool{
		"Touch": func(m *keyed.Map[int, int]) bool { _, ok := m.Touch(1, time.Hour); return ok },
		"Set":   func(m *keyed.Map[int, int]) bool { return m.Set(1, 2, time.Hour) == nil },
		"Swap": func(m *keyed.Map[int, int]) bool {
			_, loaded, err := m.Swap(1, 2, time.Hour)
			return loaded && err == nil
		},
		"renew": func(*keyed.Map[int, int]) bool { return true },
	} {
		clock, tm := timertest.NewManual(hashedwheel.WithMaxPending(1))
		var m *keyed.Map[int, int]
		m = keyed.NewRenewing(tm, func(int, int) time.Duration {
			assert.NoError(t, m.Set(2, 2, time.Hour), name)
			assert.True(t, call(m), name)
			assert.Equal(t, hashedwheel.ErrFull, m.Set(3, 3, time.Hour), name)
			return time.Minute
		}, func(int, int) { t.Error("expired") })
		require.NoError(t, m.Set(1, 1, tick))
		clock.Advance(tick)
		assert.Equal(t, 2, m.Len(), name)
		assert.Equal(t, 2, tm.Pending(), name)
		tm.Stop()
	}
}

// No function is called, so nothing is handed out: the values are gone when Advance returns.
func TestWorkerDropsValuesOfNilExpired(t *testing.T) {
	for name, opt := range map[string]hashedwheel.Option{
		"default": nil,
		"a user's executor": hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(func()) {
			t.Error("something is handed out")
		})),
	} {
		clock := hashedwheel.NewManualClock(time.Now())
		opts := []hashedwheel.Option{hashedwheel.WithTick(tick), hashedwheel.WithClock(clock)}
		if opt != nil {
			opts = append(opts, opt)
		}
		tm := hashedwheel.MustNew(opts...)
		m := keyed.New[int, int](tm, nil)
		for k := range 1000 {
			require.NoError(t, m.Set(k, k, time.Duration(k%3)*tick))
		}
		clock.Advance(tick)
		assert.Equal(t, 333, m.Len(), name)
		_, _, err := m.GetOrSet(0, 0, tick)
		assert.NoError(t, err)
		clock.Advance(tick)
		assert.Zero(t, m.Len(), name)
		tm.Stop()
	}
}

// Calls and splits may come between the worker's claim and its drop.
func TestWorkerDropsOnlyDueEntries(t *testing.T) {
	_, tm := timertest.NewManual()
	defer tm.Stop()
	m := keyed.New[int, int](tm, nil)
	require.NoError(t, m.Set(1, 1, time.Hour))
	drop := m.Drop(1)
	assert.True(t, drop())
	assert.Equal(t, 1, m.Len(), "it is pending")
	m.Delete(1)
	require.NoError(t, m.Set(1, 1, time.Hour))
	assert.True(t, drop())
	assert.Equal(t, 1, m.Len(), "it has left")

	var drops []func() bool
	for k := range 50 {
		require.NoError(t, m.Set(k, k, time.Hour))
		drops = append(drops, m.Drop(k))
	}
	m.Split()
	moved := 0
	for _, drop := range drops {
		if !drop() {
			moved++
		}
	}
	assert.Greater(t, moved, 25, "of 50, with 16 shards")
}

// The goroutine that has locked the shard may have lost its processor.
func TestWorkerWaitsForNoShard(t *testing.T) {
	clock, tm := timertest.NewManual()
	m := keyed.New[int, int](tm, nil)
	require.NoError(t, m.Set(1, 1, tick))
	unlock := m.Lock()
	timertest.Returns(t, func() { clock.Advance(tick) })
	unlock()
	timertest.Shutdown(t, tm) // waits for the task
	assert.Zero(t, m.Len())
}
