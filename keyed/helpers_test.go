package keyed_test

import (
	"sync/atomic"
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

// A slowClock lets a test act between a reading of the clock and its use. Its timer's worker is never woken.
type slowClock struct {
	*hashedwheel.ManualClock
	between atomic.Pointer[func()]
}

func (c *slowClock) Now() time.Time {
	now := c.ManualClock.Now()
	if f := c.between.Swap(nil); f != nil {
		(*f)()
	}
	return now
}

func (c *slowClock) After(time.Duration) <-chan time.Time { return nil }
