package keyed_test

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// A call waits for the lock of its key; then another call, which locks it first, does not find the value.
func TestNoCallFindsAValueThatAnotherHasMissed(t *testing.T) {
	type intMap = keyed.Map[int, int]
	for name, finds := range map[string]func(m *intMap) bool{
		"Get":              func(m *intMap) bool { _, ok := m.Get(1); return ok },
		"Touch":            func(m *intMap) bool { _, ok := m.Touch(1, time.Hour); return ok },
		"Delete":           func(m *intMap) bool { _, ok := m.Delete(1); return ok },
		"Deadline":         func(m *intMap) bool { _, ok := m.Deadline(1); return ok },
		"CompareAndDelete": func(m *intMap) bool { return m.CompareAndDelete(1, 1) },
		"GetOrSet":         func(m *intMap) bool { _, loaded, _ := m.GetOrSet(1, 2, time.Hour); return loaded },
		"All":              func(m *intMap) bool { return found(m) > 0 },
	} {
		for range 20 {
			clock, tm := timertest.NewManual(hashedwheel.WithExecutor(new(timertest.HeldBack)))
			m := keyed.New(tm, func(int, int) {})
			require.NoError(t, m.Set(1, 1, tick))
			overtake(m, func() { assert.False(t, finds(m), name) },
				func() { clock.Advance(2 * tick) },
				func() { v, _ := m.Get(1); assert.NotEqual(t, 1, v) })
			tm.StopAll()
		}
	}
}

// A call that waits for the lock of its key while another call sets the key does not shorten the other's delay.
func TestDelayCountsFromNoEarlierThanTheLastChangeOfTheKey(t *testing.T) {
	type intMap = keyed.Map[int, int]
	for name, call := range map[string]func(m *intMap){
		"Set":      func(m *intMap) { _ = m.Set(1, 2, time.Hour) },
		"GetOrSet": func(m *intMap) { _, _, _ = m.GetOrSet(1, 2, time.Hour) },
		"Touch":    func(m *intMap) { _, _ = m.Touch(1, time.Hour) },
	} {
		for range 20 {
			clock, tm := timertest.NewManual()
			m := keyed.New(tm, func(int, int) {})
			require.NoError(t, m.Set(1, 1, time.Minute))
			overtake(m, func() { call(m) },
				func() { clock.Advance(time.Second) },
				func() { _ = m.Set(1, 3, time.Hour) })
			until, _ := m.Deadline(1)
			require.Equal(t, time.Hour, until.Sub(clock.Now()), name)
			tm.StopAll()
		}
	}
}

// No value expires on a stopped timer, and yet none is found past its deadline. Drain returns it.
func TestValuePastItsDeadlineIsAbsentAfterStopAll(t *testing.T) {
	clock, tm := timertest.NewManual()
	codes := keyed.New(tm, func(string, int) { t.Error("expired") })
	for _, k := range []string{"a", "b"} {
		require.NoError(t, codes.Set(k, 1, time.Minute))
	}
	tm.StopAll()
	assert.Equal(t, 2, found(codes))
	clock.Advance(time.Minute)
	assert.Zero(t, found(codes))
	_, ok := codes.Get("a")
	assert.False(t, ok)
	_, ok = codes.Touch("a", time.Hour)
	assert.False(t, ok)
	assert.False(t, codes.CompareAndDelete("a", 1))
	_, ok = codes.Delete("a")
	assert.False(t, ok)
	_, _, err := codes.GetOrSet("a", 2, time.Hour)
	assert.Equal(t, hashedwheel.ErrStopped, err)
	assert.Equal(t, 2, codes.Len())
	drained := map[string]int{}
	codes.Drain(func(k string, v int) { drained[k] = v })
	assert.Equal(t, map[string]int{"a": 1, "b": 1}, drained)
}

// Calls and splits may come between the worker's claim and its drop.
func TestWorkerDropsOnlyDueEntries(t *testing.T) {
	const keys = 50
	_, tm := timertest.NewManual()
	defer tm.StopAll()
	m := keyed.New[int, int](tm, nil)
	var drops []func() bool
	for k := range keys {
		require.NoError(t, m.Set(k, k, time.Hour))
		drops = append(drops, m.Drop(k))
	}
	assert.True(t, drops[0](), "the shard has it")
	m.Split()
	moved := 0
	for _, drop := range drops {
		if !drop() {
			moved++
		}
	}
	assert.Greater(t, moved, keys/2, "with 16 shards")
	assert.Equal(t, keys, m.Len(), "all are pending")
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

// Goexit ends renew without a result, as does a panic, which FuzzMap covers: no value is lost.
func TestValueWhoseRenewCallsGoexitExpires(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		expired := 0
		m := keyed.NewRenewing(tm, func(int, int) time.Duration {
			runtime.Goexit()
			return time.Hour
		}, func(int, int) { expired++ })
		require.NoError(t, m.Set(1, 1, tick))
		timertest.Pass(time.Second)
		assert.Equal(t, 1, expired)
		assert.Zero(t, m.Len())
	})
}
