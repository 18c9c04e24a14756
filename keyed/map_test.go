package keyed_test

import (
	"fmt"
	"go/ast"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

const year = 365 * 24 * time.Hour

// The Timer counts about nine years from New, and so less from when the map is made.
func TestDelayOfAnyLengthOnAnOldTimer(t *testing.T) {
	clock, tm := timertest.NewManual()
	defer tm.StopAll()
	clock.Advance(5 * year)
	var expired []string
	m := keyed.New(tm, func(k string, _ int) { expired = append(expired, k) })
	for k, d := range map[string]time.Duration{
		"past": math.MinInt64, "now": 0, "three years": 3 * year, "five years": 5 * year, "never": math.MaxInt64,
	} {
		require.NoError(t, m.Set(k, 1, d))
	}
	clock.Advance(tick)
	assert.ElementsMatch(t, []string{"past", "now"}, expired)
	clock.Advance(3 * year)
	assert.Contains(t, expired, "three years")
	clock.Advance(100 * year)
	assert.Equal(t, 2, found(m))
	_, ok := m.Touch("never", -1)
	assert.True(t, ok)
	clock.Advance(tick)
	assert.Contains(t, expired, "never")
}

func TestMisusePanicsWithAMessage(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	renew, expired := func(any, any) time.Duration { return 0 }, func(any, any) {}
	m, slices := keyed.New(tm, expired), keyed.New(tm, func(string, []int) {})
	var zero keyed.Map[string, int]
	for want, misuses := range map[string][]func(){
		"New with a nil Timer":  {func() { keyed.New(nil, expired) }},
		"New with a nil Option": {func() { keyed.New(tm, expired, nil) }},
		"NewRenewing with a nil Timer": {
			func() { keyed.NewRenewing(nil, renew, expired) },
		},
		"NewRenewing with a nil Option": {
			func() { keyed.NewRenewing(tm, renew, expired, nil) },
		},
		"NewRenewing with a nil func":                               {func() { keyed.NewRenewing(tm, nil, expired) }},
		"Drain with a nil func":                                     {func() { m.Drain(nil) }},
		"Set with a key that is not equal to itself":                {func() { _ = m.Set(math.NaN(), 1, 0) }},
		"CompareAndDelete of values that cannot be compared: []int": {func() { slices.CompareAndDelete("a", nil) }},
		"this Map was not made by New": {
			func() { _ = zero.Set("a", 1, 0) },
			func() { _, _, _ = zero.GetOrSet("a", 1, 0) },
			func() { zero.Get("a") },
			func() { zero.Deadline("a") },
			func() { zero.Touch("a", 0) },
			func() { zero.Delete("a") },
			func() { zero.CompareAndDelete("a", 1) },
			func() { zero.Len() },
			func() { zero.All() },
			func() { zero.Drain(func(string, int) {}) },
		},
	} {
		for _, misuse := range misuses {
			assert.PanicsWithValue(t, "keyed: "+want, misuse)
		}
	}
	assert.Panics(t, func() { _ = m.Set([]int{}, 1, 0) }, "a key that cannot be compared")
	assert.Zero(t, m.Len())
}

// The comparison panics under a lock.
func TestCompareAndDeleteOfAValueThatCannotBeComparedLeavesNoLock(t *testing.T) {
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	m := keyed.New(tm, func(string, any) {})
	require.NoError(t, m.Set("a", []int{}, time.Hour))
	assert.Panics(t, func() { m.CompareAndDelete("a", []int{}) })
	assert.False(t, m.CompareAndDelete("a", 1))
	require.NoError(t, m.Set("a", math.NaN(), time.Hour))
	assert.False(t, m.CompareAndDelete("a", math.NaN()), "not equal to itself, as for sync.Map")
}

func TestMapAndEntryShowTheNameOrTheTypes(t *testing.T) {
	for entry, opts := range map[string][]keyed.Option{
		"codes": {keyed.WithName("codes")}, "entry of keyed.Map[string,*ast.File]": nil,
	} {
		tm := hashedwheel.MustNew()
		defer tm.StopAll()
		m := keyed.New(tm, func(string, *ast.File) {}, opts...)
		what := "0 keys"
		if opts != nil {
			what = "codes, 0 keys"
		}
		assert.Equal(t, "keyed.Map("+what+")", fmt.Sprint(m))
		require.NoError(t, m.Set("a", nil, time.Hour))
		assert.Equal(t, entry, tm.Sample(1)[0].Name)
		assert.Empty(t, tm.StopAll())
		assert.Contains(t, m.String(), "1 key)")
	}
	assert.Equal(t, "keyed.Map(not made by New)", new(keyed.Map[int, int]).String())
}
