package keyed_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }

// tick is the tick of the timers in these tests.
const tick = 10 * time.Millisecond

// filled returns a Map of n keys, each its own value, on a timer that is stopped when the test ends.
func filled(t testing.TB, n int) *keyed.Map[int, int] {
	tm := hashedwheel.MustNew()
	t.Cleanup(func() { tm.StopAll() })
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

// found returns how many values All finds, and checks that Get finds them.
func found[K comparable, V comparable](m *keyed.Map[K, V]) (n int) {
	for k, v := range m.All() {
		got, ok := m.Get(k)
		if ok && got == v {
			n++
		}
	}
	return n
}

// overtake calls first, which has to wait for the lock of m's only shard, and then, before first gets the lock, next.
func overtake(m *keyed.Map[int, int], first, while, next func()) {
	unlock, begun, done := m.Lock(), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		close(begun)
		first()
	}()
	<-begun
	time.Sleep(100 * time.Microsecond) // first waits now, or else proves nothing
	while()
	unlock()
	next() // the lock goes to the goroutine that runs, not to the one that has to wake up
	<-done
}
