package keyed_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

func TestValueExpiresOnceAtItsDeadline(t *testing.T) {
	inBubble(t, func(x *fixture) {
		x.set("a", 1, 50*time.Millisecond)
		x.set("b", 2, 70*time.Millisecond)
		x.pass(time.Hour)
		assert.Equal(t, []end{{"a", 1, 50 * time.Millisecond}, {"b", 2, 70 * time.Millisecond}}, x.expired())
	})
}

func TestValueIsInTheMapUntilItExpires(t *testing.T) {
	inBubble(t, func(x *fixture) {
		x.set("a", 1, 50*time.Millisecond)
		x.pass(49 * time.Millisecond)
		v, ok := x.m.Get("a")
		assert.True(t, ok)
		assert.Equal(t, 1, v)
		assert.Equal(t, 1, x.m.Len())
		x.pass(time.Millisecond)
		v, ok = x.m.Get("a")
		assert.False(t, ok)
		assert.Zero(t, v)
		assert.Zero(t, x.m.Len())
		assert.Zero(t, x.tm.Pending())
	})
}

func TestMissingKey(t *testing.T) {
	inBubble(t, func(x *fixture) {
		x.set("other", 1, time.Second)
		v, ok := x.m.Get("a")
		assert.False(t, ok)
		assert.Zero(t, v)
		v, ok = x.m.Delete("a")
		assert.False(t, ok)
		assert.Zero(t, v)
		assert.False(t, x.touch("a", time.Second))
		assert.Equal(t, map[string]int{"other": 1}, x.content())
	})
}

func TestSetReplacesValueAndDeadline(t *testing.T) {
	for name, d := range map[string]time.Duration{"later": 90 * time.Millisecond, "earlier": 30 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(x *fixture) {
				x.set("a", 1, 50*time.Millisecond)
				x.set("a", 2, d)
				assert.Equal(t, 1, x.m.Len())
				assert.Equal(t, 1, x.tm.Pending())
				x.pass(time.Hour)
				assert.Equal(t, []end{{"a", 2, d}}, x.expired())
			})
		})
	}
}

func TestTouchMovesTheDeadlineAndKeepsTheValue(t *testing.T) {
	for name, d := range map[string]time.Duration{"later": 90 * time.Millisecond, "earlier": 20 * time.Millisecond} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(x *fixture) {
				x.set("a", 1, 50*time.Millisecond)
				x.pass(10 * time.Millisecond)
				assert.True(t, x.touch("a", d))
				x.pass(time.Hour)
				assert.Equal(t, []end{{"a", 1, 10*time.Millisecond + d}}, x.expired())
			})
		})
	}
}

func TestAnyDelay(t *testing.T) {
	inBubble(t, func(x *fixture) {
		x.set("past", 1, math.MinInt64)
		x.set("now", 2, 0)
		x.set("never", 3, math.MaxInt64)
		x.pass(tick)
		assert.Len(t, x.expired(), 2)
		assert.Equal(t, map[string]int{"never": 3}, x.content())
		assert.True(t, x.touch("never", -1))
		x.pass(tick)
		assert.Len(t, x.expired(), 3)
	})
}

func TestDeleteReturnsTheValueWhichDoesNotExpire(t *testing.T) {
	inBubble(t, func(x *fixture) {
		x.set("a", 1, 50*time.Millisecond)
		v, ok := x.m.Delete("a")
		assert.True(t, ok)
		assert.Equal(t, 1, v)
		assert.Zero(t, x.tm.Pending())
		_, ok = x.m.Delete("a")
		assert.False(t, ok, "a second time")
		x.pass(time.Hour)
		assert.Empty(t, x.expired())
	})
}

func TestMisusePanicsWithAMessage(t *testing.T) {
	tm := hashedwheel.MustNew()
	assert.PanicsWithValue(t, "keyed: New with a nil Timer", func() { keyed.New(nil, func(int, int) {}) })
	assert.PanicsWithValue(t, "keyed: New with a nil func", func() { keyed.New[int, int](tm, nil) })
	m := keyed.New(tm, func(any, int) {})
	assert.PanicsWithValue(t, "keyed: Drain with a nil func", func() { m.Drain(nil) })
	assert.PanicsWithValue(t, "keyed: Set with a key that is not equal to itself",
		func() { _ = m.Set(math.NaN(), 1, 0) })
	assert.Panics(t, func() { _ = m.Set([]int{}, 1, 0) }, "a key that cannot be compared")
	assert.Zero(t, m.Len())
	assert.NoError(t, m.Set("a", 1, 0), "no lock is left behind")
	assert.Len(t, tm.Stop(), 1)
}

// Values and keys of no size share their addresses: nothing may depend on them.
func TestKeysAndValuesMayHaveNoSize(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	m := keyed.New(tm, func(struct{}, struct{}) {})
	require.NoError(t, m.Set(struct{}{}, struct{}{}, time.Hour))
	assert.Equal(t, 1, m.Len())
	_, ok := m.Delete(struct{}{})
	assert.True(t, ok)
}

func TestMapsOnOneTimerAreIndependent(t *testing.T) {
	inBubble(t, func(x *fixture) {
		other := keyed.New(x.tm, func(string, int) { t.Error("expired") })
		require.NoError(t, other.Set("a", 2, 2*time.Hour))
		x.set("a", 1, 50*time.Millisecond)
		x.pass(time.Hour)
		assert.Len(t, x.expired(), 1)
		assert.Equal(t, 1, other.Len())
		other.Drain(func(string, int) {})
	})
}
