package keyed_test

import (
	"runtime"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// One call reads the clock; then another call, which reads a later time, does not find the value.
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
				tm.StopAll()
			})
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
