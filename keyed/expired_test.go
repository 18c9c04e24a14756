package keyed_test

import (
	"maps"
	"sync"
	"testing"
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
