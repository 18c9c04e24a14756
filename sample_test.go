package hashedwheel

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// distinct returns a sample as a set.
func distinct(t *testing.T, found []*Timeout) map[*Timeout]bool {
	t.Helper()
	set := map[*Timeout]bool{}
	for _, to := range found {
		require.False(t, set[to], "found twice")
		set[to] = true
	}
	return set
}

// places are where in the wheel a crowd can be: how far away each one is due.
var places = map[string]func(i int) time.Duration{
	"one bucket":      func(int) time.Duration { return 100 * time.Millisecond },
	"one slot":        func(int) time.Duration { return time.Hour },
	"all over":        func(i int) time.Duration { return time.Duration(i) * time.Second },
	"one, and a slot": func(i int) time.Duration { return time.Duration(min(i, 1)) * time.Hour },
}

func TestSampleFindsAllThatIsPendingIfThatIsNoMore(t *testing.T) {
	const n = 20_000
	for says, place := range places {
		t.Run(says, func(t *testing.T) {
			_, tm := newGuarded()
			all := map[*Timeout]bool{}
			for i := range n {
				all[tm.AfterFunc(place(i), func() {})] = true
			}
			for to := range all {
				if len(all) == n-10 {
					break
				}
				to.Stop()
				delete(all, to)
			}
			for _, want := range []int{len(all), len(all) + 1, math.MaxInt} {
				require.Equal(t, all, distinct(t, tm.Sample(want)))
			}
		})
	}
}

// Its product with what a slot holds is more than 32 bits.
func TestSampleOfManyOutOfACrowd(t *testing.T) {
	_, tm := newGuarded()
	for range 70_000 {
		tm.AfterFunc(time.Hour, func() {})
	}
	assert.Len(t, distinct(t, tm.Sample(69_000)), 69_000)
}

func TestSampleFindsAsManyAsItIsAskedFor(t *testing.T) {
	for says, place := range places {
		t.Run(says, func(t *testing.T) {
			_, tm := newGuarded()
			for i := range 1000 {
				tm.AfterFunc(place(i), func() {})
			}
			for _, want := range []int{1, 2, 3, 10, 333, 999} {
				require.Len(t, distinct(t, tm.Sample(want)), want)
			}
			for _, want := range []int{0, -1, math.MinInt} {
				require.Empty(t, tm.Sample(want))
			}
		})
	}
}

func TestSampleOfATimerThatHasNothingPendingIsEmpty(t *testing.T) {
	_, tm := newGuarded()
	assert.Empty(t, tm.Sample(3))
	tm.AfterFunc(time.Hour, func() {}).Stop()
	assert.Empty(t, tm.Sample(3))
}

// Ten times as many are due within the one hour as within the other.
func TestSampleTakesOfEachSlotInProportion(t *testing.T) {
	_, tm := newGuarded()
	for i := range 11_000 {
		hours := time.Duration(1 + min(1, i/1000))
		tm.AfterFunc(50*hours*time.Hour+time.Duration(i)*time.Millisecond, func() {})
	}
	first := 0
	for _, to := range tm.Sample(110) {
		if to.Deadline().Before(tm.Now().Add(60 * time.Hour)) {
			first++
		}
	}
	assert.InDelta(t, 10, first, 1)
}

func TestSampleFindsWhatWaitsInTheBatch(t *testing.T) {
	g, tm := newGuarded()
	waiting := tm.AfterFunc(0, func() {})
	later := tm.AfterFunc(time.Hour, func() {})
	g.drain(portion)
	require.True(t, g.take(1))
	require.Equal(t, home(inBatch), waiting.home)
	assert.Equal(t, map[*Timeout]bool{waiting: true, later: true}, distinct(t, tm.Sample(2)))
	assert.Equal(t, []*Timeout{waiting}, tm.Sample(1))
	waiting.claim(math.MaxInt64)
	assert.Equal(t, []*Timeout{later}, tm.Sample(2))
}

// walkBeside walks through all that is filed, and calls meanwhile between portions.
func walkBeside(g *guarded, meanwhile func()) *sample {
	s := &sample{want: math.MaxInt}
	s.begin(g)
	for s.walk(&g.wheel) {
		meanwhile()
		g.wheel.checkAll()
	}
	return s
}

func TestAWalkGoesOnThoughWhatItWasAtIsRemoved(t *testing.T) {
	g, _ := newGuarded()
	all := g.fileMoved(many, 50, 50)
	gone := map[*Timeout]bool{}
	s := walkBeside(g, func() {
		for range 100 {
			if to := g.wheel.cursor; to != nil {
				g.wheel.remove(to)
				gone[to] = true
			}
		}
	})
	require.NotEmpty(t, gone)
	for _, to := range all {
		require.NotEqual(t, gone[to], s.seen[to])
	}
}

// What the worker files closer meanwhile is met where it comes to.
func TestAWalkFindsWhatIsFiledCloserMeanwhile(t *testing.T) {
	g, _ := newGuarded()
	near := g.fileMoved(many, 3001, 3001)
	all := append(near, g.fileMoved(many, 3000, 3000)...)
	s := walkBeside(g, func() { g.wheel.advance(2999, portion) })
	require.NotEqual(t, 1, near[0].home.level(), "nothing was filed closer")
	for _, to := range all {
		require.True(t, s.seen[to])
	}
	distinct(t, s.found)
}

func TestAWalkFindsOnceWhatIsFiledFartherMeanwhile(t *testing.T) {
	g, _ := newGuarded()
	all := g.fileMoved(2*crowd, 50, far)
	tick := int64(0)
	s := walkBeside(g, func() {
		for tick = g.wheel.wake(); g.wheel.thin(); {
		}
		g.wheel.skip(tick)
	})
	assert.LessOrEqual(t, len(distinct(t, s.found)), len(all))
}

func TestAWalkLooksAtNoMoreThanAPortion(t *testing.T) {
	for says, tick := range map[string]int64{"in a bucket": 50, "in a slot": 3000} {
		t.Run(says, func(t *testing.T) {
			g, _ := newGuarded()
			g.fileMoved(many, tick, tick)
			s := &sample{want: many}
			s.begin(g)
			for before := 0; s.walk(&g.wheel); before = len(s.found) {
				require.LessOrEqual(t, len(s.found)-before, portion)
			}
			assert.Len(t, s.found, many)
		})
	}
}
