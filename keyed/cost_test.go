package keyed_test

import (
	"fmt"
	"net/netip"
	"runtime"
	"strconv"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// allocs checks the allocations of each call for a key, without the growth of the map.
func allocs[K comparable](t *testing.T, key func(i int) K) {
	const n = 2000
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Hour)) // no timeout is filed during the test
	defer tm.StopAll()
	m := keyed.New(tm, func(K, *int) {})
	keys, v, i := make([]K, n+1), new(int), 0
	for i := range keys {
		keys[i] = key(i)
	}
	each := func(f func(k K)) float64 {
		i = 0
		return testing.AllocsPerRun(n, func() { f(keys[i]); i++ })
	}
	set := func(k K) { _ = m.Set(k, v, 36*time.Hour) }
	each(set)
	assert.Zero(t, each(set), "Set of a key that is present")
	assert.Zero(t, each(func(k K) { m.Touch(k, 48*time.Hour) }), "Touch later")
	assert.Zero(t, each(func(k K) { m.Touch(k, 24*time.Hour) }), "Touch earlier")
	assert.Zero(t, each(func(k K) { m.Get(k) }), "Get")
	assert.Zero(t, each(func(k K) { m.Deadline(k) }), "Deadline")
	assert.Zero(t, each(func(k K) { _, _, _ = m.GetOrSet(k, v, time.Hour) }), "GetOrSet of a key that is present")
	assert.Zero(t, each(func(k K) { m.CompareAndDelete(k, nil) }), "CompareAndDelete of another value")
	assert.Equal(t, 1.0, each(func(k K) { m.Delete(k); set(k) }), "Delete, and Set of a new key")
	assert.LessOrEqual(t, testing.AllocsPerRun(10, func() {
		for range m.All() {
			continue
		}
	}), 4.0, "All, whatever the number of keys")
}

func TestNewEntryAllocatesOnceAndTouchNever(t *testing.T) {
	t.Run("int", func(t *testing.T) { allocs(t, func(i int) int { return i }) })
	t.Run("string", func(t *testing.T) { allocs(t, func(i int) string { return string(rune(i + 1)) }) })
	t.Run("pointer", func(t *testing.T) { allocs(t, func(int) *int { return new(int) }) })
	t.Run("struct", func(t *testing.T) {
		allocs(t, func(i int) netip.AddrPort { return netip.AddrPortFrom(netip.Addr{}, uint16(i)) })
	})
	t.Run("interface", func(t *testing.T) { allocs(t, func(i int) any { return &i }) })
}

func TestSizesOfAnEntryAndAShard(t *testing.T) {
	assert.Equal(t, keyed.EntrySize[int64, int64]()-8, keyed.EntrySize[int64, struct{}](), "a value of no size")
	if strconv.IntSize == 64 {
		assert.EqualValues(t, 128, keyed.ShardSize[int, int](), "two cache lines")
	}
}

func TestMemoryOfAnEntry(t *testing.T) {
	n := 40_000 * min(16, runtime.GOMAXPROCS(0)) // each processor adds shards
	names, value := make([]string, n), new(string)
	for i := range names {
		names[i] = fmt.Sprint(i)
	}
	twoInts := float64(bytesOf(t, 1, func() any { return filled(t, n) })) / float64(n)
	stringAndPointer := float64(bytesOf(t, 1, func() any {
		tm := hashedwheel.MustNew()
		t.Cleanup(func() { tm.StopAll() })
		m := keyed.New(tm, func(string, *string) {})
		for _, name := range names {
			require.NoError(t, m.Set(name, value, time.Hour))
		}
		return m
	})) / float64(n)
	t.Logf("%.0f bytes for two ints, %.0f for a string and a pointer", twoInts, stringAndPointer)
	assert.Less(t, twoInts, 145.0)
	assert.Less(t, stringAndPointer, 145.0)
	runtime.KeepAlive(names)
}

func TestShrunkenMapGivesMemoryBack(t *testing.T) {
	n := 20_000 * runtime.GOMAXPROCS(0) // each processor adds shards
	before := timertest.Heap()
	m := filled(t, n)
	full := timertest.Heap() - before
	for k := range n - n/100 {
		m.Delete(k)
	}
	isSmall := func() bool { return timertest.Heap()-before < full/16 } // with the indexes of small chunks, full/20
	require.Eventually(t, isSmall, 10*time.Second, 50*time.Millisecond, "a hundredth of the keys in use")
	runtime.KeepAlive(m)
}

// The clock stands still: the wheel still holds the timeout.
func TestDeletedValueIsGarbageAtOnce(t *testing.T) {
	_, tm := timertest.NewManual()
	defer tm.StopAll()
	m := keyed.New(tm, func(int, *[100]byte) {})
	v := new([100]byte)
	deleted := weak.Make(v)
	require.NoError(t, m.Set(1, v, time.Hour))
	m.Delete(1)
	timertest.AssertGarbage(t, deleted, "the value")
	runtime.KeepAlive(m)
}
