package keyed_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// Each step of a loop changes the map. A Touch of a key that is due puts a new entry in its place.
func TestAllAndDrainVisitEachLastingKeyOnce(t *testing.T) {
	const keys, few = 300, 7
	leave := func(m *keyed.Map[int, int], _ *hashedwheel.ManualClock) {
		for k := few; k < keys; k++ {
			m.Delete(k)
		}
	}
	split := func(m *keyed.Map[int, int], _ *hashedwheel.ManualClock) { m.Split() }
	move := func(m *keyed.Map[int, int], clock *hashedwheel.ManualClock) {
		clock.Advance(tick)
		for k := 0; k < keys; k += 3 {
			m.Touch(k, 0)
		}
	}
	next := keys
	for name, test := range map[string]struct {
		hashes uint64 // how many different hashes the keys have; 0: each has its own
		stay   int
		step   func(m *keyed.Map[int, int], clock *hashedwheel.ManualClock)
	}{
		"the map grows": {0, keys, func(m *keyed.Map[int, int], _ *hashedwheel.ManualClock) {
			for range min(100, 50*keys-next) {
				require.NoError(t, m.Set(next, next, time.Hour))
				next++
			}
		}},
		"as many keys are set as are visited": {0, keys, func(m *keyed.Map[int, int], _ *hashedwheel.ManualClock) {
			require.NoError(t, m.Set(next, next, time.Hour))
			next++
		}},
		"Go maps are replaced":          {0, few, leave},
		"a Go map of twins is replaced": {64, few, leave}, // chains begin with keys that have left
		"shards are split":              {0, keys, split},
		"due keys are moved":            {0, keys, move},
		"due twins are moved":           {8, keys, move},
		"due keys are moved, then split": {0, keys, func(m *keyed.Map[int, int], clock *hashedwheel.ManualClock) {
			move(m, clock)
			split(m, clock)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			clock, tm := timertest.NewManual(hashedwheel.WithExecutor(new(timertest.HeldBack)))
			defer tm.StopAll()
			m := keyed.NewRenewing(tm, func(int, int) time.Duration { return 0 }, nil) // which finds due keys
			m.Collide(test.hashes)
			for k := range keys {
				require.NoError(t, m.Set(k, k, 0))
			}
			seen, drained := map[int]int{}, map[int]int{}
			for k, v := range m.All() {
				require.Equal(t, k, v)
				seen[k]++
				test.step(m, clock)
			}
			once(t, seen, test.stay)
			m.Drain(func(k, v int) {
				require.Equal(t, k, v)
				drained[k]++
				test.step(m, clock)
			})
			once(t, drained, test.stay)
			for k, n := range seen {
				require.Equal(t, 1, n, k)
			}
			for k := range test.stay {
				_, ok := m.Get(k)
				require.False(t, ok, k)
			}
		})
	}
}

// A Drain inside the function of another leaves nothing to the outer one, which has a list of the superseded entries.
func TestDrainInDrain(t *testing.T) {
	const keys, superseded = 10, 5
	held := new(timertest.HeldBack)
	clock, tm := timertest.NewManual(hashedwheel.WithExecutor(held))
	defer tm.StopAll()
	m := keyed.New(tm, func(int, int) { t.Error("expired") })
	for k := range keys {
		require.NoError(t, m.Set(k, k, tick))
	}
	clock.Advance(tick)
	for k := range superseded {
		_, _, err := m.GetOrSet(k, keys+k, time.Hour)
		require.NoError(t, err)
	}
	seen := map[int]int{}
	var drain func(k, v int)
	drain = func(k, v int) {
		assert.Equal(t, k, v%keys)
		seen[v]++
		m.Drain(drain)
	}
	m.Drain(drain)
	once(t, seen, keys+superseded)
	held.Release()
	assert.Zero(t, m.Len())
}
