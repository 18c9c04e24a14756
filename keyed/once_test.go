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

func TestCompareAndDeleteRemovesAnEqualValueOnly(t *testing.T) {
	inBubble(t, func(x *fixture) {
		x.set("a", 1, 50*time.Millisecond)
		assert.False(t, x.m.CompareAndDelete("b", 1), "another key")
		assert.False(t, x.m.CompareAndDelete("a", 2), "another value")
		assert.Equal(t, map[string]int{"a": 1}, x.content())
		assert.True(t, x.m.CompareAndDelete("a", 1))
		assert.False(t, x.m.CompareAndDelete("a", 1), "a second time")
		assert.Zero(t, x.m.Len())
		assert.Zero(t, x.tm.Pending())
		x.set("b", 2, 50*time.Millisecond)
		assert.False(t, x.m.CompareAndDelete("b", 1))
		x.pass(time.Hour)
		assert.Equal(t, []end{{"b", 2, 50 * time.Millisecond}}, x.expired())
	})
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

// deadline checks when a key expires, from now.
func (x *fixture) deadline(k string, want time.Duration) {
	x.Helper()
	at, ok := x.m.Deadline(k)
	assert.True(x, ok)
	assert.Equal(x, want, at.Sub(x.tm.Now()))
}

func TestDeadlineFollowsSetAndTouch(t *testing.T) {
	inBubble(t, func(x *fixture) {
		_, ok := x.m.Deadline("a")
		assert.False(t, ok)
		x.set("a", 1, time.Second)
		x.deadline("a", time.Second)
		x.pass(400 * time.Millisecond)
		x.deadline("a", 600*time.Millisecond)
		assert.True(t, x.touch("a", time.Minute))
		x.deadline("a", time.Minute)
		x.set("a", 2, 3*time.Second)
		x.deadline("a", 3*time.Second)
		_, _, _ = x.m.GetOrSet("a", 3, time.Hour)
		x.deadline("a", 3*time.Second)
		x.m.Delete("a")
		_, ok = x.m.Deadline("a")
		assert.False(t, ok)
	})
}
