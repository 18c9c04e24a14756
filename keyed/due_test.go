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

// whenDue runs f while "a", with the value 1, is due and the executor keeps its task. After f the
// task is released.
func whenDue(t *testing.T, f func(x *fixture, h *timertest.HeldBack), opts ...hashedwheel.Option) {
	t.Helper()
	h := new(timertest.HeldBack)
	inBubble(t, func(x *fixture) {
		x.set("a", 1, 50*time.Millisecond)
		x.pass(50 * time.Millisecond)
		require.Empty(t, x.expired())
		f(x, h)
	}, append(opts, hashedwheel.WithExecutor(h))...)
}

// An overloaded pool may drop a task: the value stays in the map.
func TestExecutorThatDropsATaskLosesNoKey(t *testing.T) {
	whenDue(t, func(x *fixture, h *timertest.HeldBack) {
		assert.Len(t, h.Forget(), 1)
		assert.Equal(t, map[string]int{"a": 1}, x.content())
		assert.True(t, x.touch("a", time.Second))
		x.pass(time.Second + tick)
		h.Release()
		assert.Len(t, x.expired(), 1)
	})
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

func TestDueKeyThatIsMovedKeepsTheKeyOfItsFirstSet(t *testing.T) {
	for name, move := range map[string]func(x *fixture, k string){
		"Touch": func(x *fixture, k string) { require.True(x, x.touch(k, time.Second)) },
		"Set":   func(x *fixture, k string) { x.set(k, 1, time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			whenDue(t, func(x *fixture, h *timertest.HeldBack) {
				b := buffer("a")
				move(x, b.key())
				b[0] = 'z'
				v, ok := x.m.Get("a")
				assert.True(t, ok)
				assert.Equal(t, 1, v)
				h.Release()
			})
		})
	}
}
