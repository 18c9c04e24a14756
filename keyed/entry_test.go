package keyed_test

import (
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
