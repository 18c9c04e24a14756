package keyed_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

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
