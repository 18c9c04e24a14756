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

func TestAnyDelay(t *testing.T) {
	inBubble(t, func(x *fixture) {
		x.set("past", 1, math.MinInt64)
		x.set("now", 2, 0)
		x.set("never", 3, math.MaxInt64)
		x.pass(tick)
		assert.Len(t, x.ends, 2)
		assert.Equal(t, map[string]int{"never": 3}, x.content())
		assert.True(t, x.touch("never", -1))
		x.pass(tick)
		assert.Len(t, x.ends, 3)
	})
}

func TestMisusePanicsWithAMessage(t *testing.T) {
	tm := hashedwheel.MustNew()
	assert.PanicsWithValue(t, "keyed: New with a nil Timer", func() { keyed.New(nil, func(int, int) {}) })
	assert.PanicsWithValue(t, "keyed: New with a nil func", func() { keyed.New[int, int](tm, nil) })
	assert.PanicsWithValue(t, "keyed: New with a nil Option", func() { keyed.New(tm, func(int, int) {}, nil) })
	renew, expired := func(int, int) time.Duration { return 0 }, func(int, int) {}
	assert.PanicsWithValue(t, "keyed: NewRenewing with a nil Timer", func() { keyed.NewRenewing(nil, renew, expired) })
	assert.PanicsWithValue(t, "keyed: NewRenewing with a nil func", func() { keyed.NewRenewing(tm, nil, expired) })
	assert.PanicsWithValue(t, "keyed: NewRenewing with a nil func", func() { keyed.NewRenewing(tm, renew, nil) })
	assert.PanicsWithValue(t, "keyed: NewRenewing with a nil Option",
		func() { keyed.NewRenewing(tm, renew, expired, nil) })
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
	require.NoError(t, anything.Set("a", math.NaN(), time.Hour))
	assert.False(t, anything.CompareAndDelete("a", math.NaN()), "not equal to itself, as for sync.Map")
	assert.Equal(t, 1, anything.Len())
}
