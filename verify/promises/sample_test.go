package promises

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// distinct returns a sample as a set.
func distinct(t *testing.T, found []*hashedwheel.Timeout) map[*hashedwheel.Timeout]bool {
	t.Helper()
	set := map[*hashedwheel.Timeout]bool{}
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
			_, tm := timertest.NewManual()
			all := map[*hashedwheel.Timeout]bool{}
			for i := range n {
				all[tm.AfterFunc(place(i), timertest.Nop)] = true
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

// Its product with the number of timeouts in a slot is more than 32 bits.
func TestSampleOfManyOutOfACrowd(t *testing.T) {
	_, tm := timertest.NewManual()
	for range 70_000 {
		tm.AfterFunc(time.Hour, timertest.Nop)
	}
	assert.Len(t, distinct(t, tm.Sample(69_000)), 69_000)
}

func TestSampleFindsAsManyAsItIsAskedFor(t *testing.T) {
	for says, place := range places {
		t.Run(says, func(t *testing.T) {
			_, tm := timertest.NewManual()
			for i := range 1000 {
				tm.AfterFunc(place(i), timertest.Nop)
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
	_, tm := timertest.NewManual()
	assert.Empty(t, tm.Sample(3))
	tm.AfterFunc(time.Hour, timertest.Nop).Stop()
	assert.Empty(t, tm.Sample(3))
}

// Ten times as many are due within the one hour as within the other.
func TestSampleTakesOfEachSlotInProportion(t *testing.T) {
	_, tm := timertest.NewManual()
	for i := range 11_000 {
		hours := time.Duration(1 + min(1, i/1000))
		tm.AfterFunc(50*hours*time.Hour+time.Duration(i)*time.Millisecond, timertest.Nop)
	}
	first := 0
	for _, to := range tm.Sample(110) {
		if to.Deadline().Before(tm.Now().Add(60 * time.Hour)) {
			first++
		}
	}
	assert.InDelta(t, 10, first, 1)
}
