package keyed_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// colliding runs f with a Map whose keys all have the same hash.
func colliding(t *testing.T, f func(x *fixture)) {
	inBubble(t, func(x *fixture) {
		x.m.Collide(1)
		f(x)
	})
}

func TestKeysOfOneHashAreKeptApart(t *testing.T) {
	colliding(t, func(x *fixture) {
		x.set("a", 1, time.Second)
		_, ok := x.m.Get("b")
		assert.False(t, ok)
		assert.False(t, x.touch("b", time.Second))
		_, ok = x.m.Delete("b")
		assert.False(t, ok)
		x.set("b", 2, time.Second)
		x.set("c", 3, time.Second)
		x.set("b", 4, time.Second)
		assert.Equal(t, map[string]int{"a": 1, "b": 4, "c": 3}, x.content())
		assert.Equal(t, 3, x.m.Len())
		assert.Equal(t, 3, x.tm.Pending())
	})
}

func TestTwinIsFoundAfterTheFirstKeyOfItsHashHasLeft(t *testing.T) {
	colliding(t, func(x *fixture) {
		for i, k := range []string{"a", "b", "c"} {
			x.set(k, i, time.Second)
		}
		x.m.Delete("a")
		x.set("b", 5, time.Second)
		assert.True(t, x.touch("c", time.Second))
		x.set("d", 6, time.Second)
		assert.Equal(t, map[string]int{"b": 5, "c": 2, "d": 6}, x.content())
		v, ok := x.m.Delete("c")
		assert.True(t, ok)
		assert.Equal(t, 2, v)
		assert.Equal(t, map[string]int{"b": 5, "d": 6}, x.content())
	})
}

func TestKeysOfOneHashExpireEachAtItsDeadline(t *testing.T) {
	colliding(t, func(x *fixture) {
		x.set("a", 1, 50*time.Millisecond)
		x.set("b", 2, 30*time.Millisecond)
		x.set("c", 3, 70*time.Millisecond)
		x.pass(time.Hour)
		assert.Equal(t, []end{
			{"b", 2, 30 * time.Millisecond}, {"a", 1, 50 * time.Millisecond}, {"c", 3, 70 * time.Millisecond},
		}, x.expired())
		assert.Zero(t, x.m.Len())
	})
}

func TestAllSeesKeysOfOneHashWhileOthersAreSetAndDeleted(t *testing.T) {
	const n = 1000
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	m := keyed.New(tm, func(int, int) { t.Error("expired") })
	m.Collide(1)
	for k := range n {
		require.NoError(t, m.Set(k, k, time.Hour))
	}
	seen := map[int]int{}
	for k := range m.All() {
		seen[k]++
		require.NoError(t, m.Set(n+k, k, time.Hour))
		m.Delete(n + k/2)
	}
	once(t, seen, n)
	for range m.All() {
		break
	}
	m.Drain(func(int, int) {})
	assert.Zero(t, m.Len(), "no lock is left behind, and nothing else")
}

// Nearly all keys leave in the loop, so that the Go map is replaced: the loop goes on over a Go map whose
// chains begin with keys that have left.
func TestAllSeesLastingTwinsThoughTheGoMapIsReplaced(t *testing.T) {
	const n, hashes, stay = 1000, 32, 3
	m, seen := filledIn(t, n, func(m *keyed.Map[int, int]) { m.Collide(hashes) }), map[int]int{}
	for k := range m.All() {
		seen[k]++
		for gone := stay; gone < n; gone++ {
			m.Delete(gone)
		}
	}
	once(t, seen, stay)
	assert.LessOrEqual(t, len(seen), stay+1, "a key that was deleted is not seen")
}
