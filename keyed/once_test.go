package keyed_test

import (
	"math"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// A queue that delivers twice, and consumers that act once.
func TestGetOrSetOfManyGoroutinesSetsOnce(t *testing.T) {
	const goroutines, ids = 4, 20_000
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	m := keyed.New(tm, func(string, int) { t.Error("expired") })
	var acts [ids]atomic.Int32
	var running sync.WaitGroup
	for g := range goroutines {
		running.Go(func() {
			for i := range ids {
				v, loaded, err := m.GetOrSet(strconv.Itoa(i), i, time.Hour)
				if v != i || err != nil {
					t.Errorf("%d: %d, %v by %d", i, v, err, g)
				}
				if !loaded {
					acts[i].Add(1)
				}
			}
		})
	}
	running.Wait()
	for i := range acts {
		require.Equal(t, int32(1), acts[i].Load(), i)
	}
	assert.Equal(t, ids, m.Len())
}

func TestCompareAndDeleteOfValuesThatCannotBeComparedPanics(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	slices := keyed.New(tm, func(string, []int) {})
	assert.PanicsWithValue(t, "keyed: CompareAndDelete of values that cannot be compared: []int",
		func() { slices.CompareAndDelete("a", nil) })
	anything := keyed.New(tm, func(string, any) {})
	require.NoError(t, anything.Set("a", []int{}, time.Hour))
	assert.Panics(t, func() { anything.CompareAndDelete("a", []int{}) })
	assert.False(t, anything.CompareAndDelete("a", 1), "no lock is left behind")
	assert.Equal(t, 1, anything.Len())
}

// As sync.Map's.
func TestCompareAndDeleteOfNaNFindsNoEqual(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	m := keyed.New(tm, func(string, float64) {})
	require.NoError(t, m.Set("a", math.NaN(), time.Hour))
	assert.False(t, m.CompareAndDelete("a", math.NaN()))
}

// Many requests try to use a user's one code at the same time.
func TestCompareAndDeleteOfManyGoroutinesDeletesOnce(t *testing.T) {
	const goroutines, codes = 4, 5000
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	m := keyed.New(tm, func(int, int) { t.Error("expired") })
	var used [codes]atomic.Int32
	for code := range codes {
		require.NoError(t, m.Set(code, code, time.Hour))
	}
	var running sync.WaitGroup
	for range goroutines {
		running.Go(func() {
			for code := range codes {
				if m.CompareAndDelete(code, code) {
					used[code].Add(1)
				}
			}
		})
	}
	running.Wait()
	for code := range used {
		require.Equal(t, int32(1), used[code].Load(), code)
	}
	assert.Zero(t, m.Len())
}
