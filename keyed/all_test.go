package keyed_test

import (
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// filled returns a Map of n keys, each its own value, on a timer that is stopped when the test ends.
func filled(t testing.TB, n int) *keyed.Map[int, int] {
	tm := hashedwheel.MustNew()
	t.Cleanup(func() { tm.Stop() })
	m := keyed.New(tm, func(int, int) { t.Error("expired") })
	for k := range n {
		require.NoError(t, m.Set(k, k, time.Hour))
	}
	return m
}

// once checks that seen has each key from 0 to n-1 once.
func once(t *testing.T, seen map[int]int, n int) {
	t.Helper()
	for k := range n {
		require.Equal(t, 1, seen[k], k)
	}
}

func TestAllSeesEveryLastingKeyThoughTheMapGrows(t *testing.T) {
	m, seen, next := filled(t, 1000), map[int]int{}, 1000
	for k := range m.All() {
		seen[k]++
		for range min(20, 50_000-next) {
			require.NoError(t, m.Set(next, next, time.Hour))
			next++
		}
	}
	once(t, seen, 1000)
	for k, n := range seen {
		assert.Equal(t, 1, n, k)
	}
}

func TestAllSeesEveryLastingKeyThoughTheGoMapIsReplaced(t *testing.T) {
	const n, stay = 100_000, 1000 // makes each shard replace its Go map twice
	m, seen := filled(t, n), map[int]int{}
	for k := range m.All() {
		seen[k]++
		if len(seen) == 1 {
			for gone := stay; gone < n; gone++ {
				m.Delete(gone)
			}
		}
	}
	once(t, seen, stay)
	assert.LessOrEqual(t, len(seen), stay+1, "what was deleted is not seen")
	assert.Equal(t, stay, m.Len())
}

// Nearly all keys leave in the loop, so that the Go map is replaced: the loop goes on over a Go map whose
// chains begin with keys that have left.
func TestAllSeesLastingTwinsThoughTheGoMapIsReplaced(t *testing.T) {
	const n, hashes, stay = 1000, 32, 3
	m, seen := filled(t, 0), map[int]int{}
	m.Collide(hashes)
	for k := range n {
		require.NoError(t, m.Set(k, k, time.Hour))
	}
	for k := range m.All() {
		seen[k]++
		for gone := stay; gone < n; gone++ {
			m.Delete(gone)
		}
	}
	once(t, seen, stay)
	assert.LessOrEqual(t, len(seen), stay+1, "a key that was deleted is not seen")
}

// A Touch of a due key puts a new entry in its place. The loops over a map must not lose the key over that.
func TestAllAndDrainVisitDueKeysThatAreMovedInTheLoop(t *testing.T) {
	const keys = 50
	for name, meddle := range map[string]func(m *keyed.Map[int, int]){
		"in one Go map":     func(*keyed.Map[int, int]) {},
		"in a split shard":  func(m *keyed.Map[int, int]) { m.Split() },
		"in a chain of all": nil,
	} {
		t.Run(name, func(t *testing.T) {
			h := new(timertest.HeldBack)
			clock, tm := timertest.NewManual(hashedwheel.WithExecutor(h))
			defer tm.Stop()
			m := keyed.New(tm, func(int, int) { t.Error("expired") })
			if meddle == nil {
				m.Collide(1)
				meddle = func(*keyed.Map[int, int]) {}
			}
			for k := range keys {
				require.NoError(t, m.Set(k, k, 0))
			}
			moveAll := func() {
				clock.Advance(tick)
				for k := range keys {
					m.Touch(k, 0)
				}
				meddle(m)
			}
			seen, drained := map[int]int{}, map[int]int{}
			for k, v := range m.All() {
				require.Equal(t, k, v)
				seen[k]++
				moveAll()
			}
			once(t, seen, keys)
			m.Drain(func(k, v int) {
				require.Equal(t, k, v)
				drained[k]++
				moveAll()
			})
			once(t, drained, keys)
			require.Zero(t, m.Len())
			h.Release()
		})
	}
}

func TestAllMayEndByBreakPanicAndGoexit(t *testing.T) {
	m := filled(t, 100)
	leave := map[string]func(){
		"break": func() {},
		"panic": func() { panic("leave") },
		"Goexit": func() {
			runtime.Goexit()
		},
	}
	for name, how := range leave {
		var left sync.WaitGroup
		left.Go(func() {
			defer func() { _ = recover() }()
			for range m.All() {
				how()
				break
			}
		})
		left.Wait()
		assert.Equal(t, 100, m.Len(), "%s left a lock behind", name)
	}
}

func TestDrainInDrain(t *testing.T) {
	m, seen := filled(t, 1000), map[int]int{}
	m.Drain(func(k, _ int) {
		seen[k]++
		m.Drain(func(k, _ int) { seen[k]++ })
	})
	once(t, seen, 1000)
}

func TestDrainPanicLeavesTheOtherValuesToExpire(t *testing.T) {
	inBubble(t, func(x *fixture) {
		for _, k := range []string{"a", "b", "c"} {
			x.set(k, 1, time.Second)
		}
		assert.Panics(t, func() { x.m.Drain(func(string, int) { panic("drain") }) })
		assert.Equal(t, 2, x.m.Len())
		x.pass(2 * time.Second)
		assert.Len(t, x.ends, 2)
	})
}

func TestDrainEndsThoughItsFunctionSetsEveryKeyAgain(t *testing.T) {
	m, calls := filled(t, 1000), 0
	m.Drain(func(k, v int) {
		calls++
		require.NoError(t, m.Set(k+1000*calls, v, time.Hour))
	})
	assert.GreaterOrEqual(t, calls, 1000)
	m.Drain(func(int, int) {})
}

func TestDrainAfterTimerStopMissesNothing(t *testing.T) {
	for range 100 {
		tm := hashedwheel.MustNew()
		m := keyed.New(tm, func(int, int) { t.Error("expired") })
		begun, taken := make(chan bool), make(chan map[int]int)
		go func() {
			last := map[int]int{}
			for i := 0; m.Set(i%50, i, time.Hour) == nil; i++ {
				last[i%50] = i
				if i == 0 {
					close(begun)
				}
			}
			taken <- last
		}()
		<-begun
		tm.Stop()
		drained := map[int]int{}
		m.Drain(func(k, v int) { drained[k] = v })
		assert.Equal(t, <-taken, drained)
		assert.Zero(t, m.Len())
	}
}
