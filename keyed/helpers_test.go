package keyed_test

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// tick is the tick of the timers in these tests.
const tick = 10 * time.Millisecond

// A fixture is a Map on virtual time, and the keys and values that have expired.
type fixture struct {
	*testing.T
	tm *hashedwheel.Timer
	m  *keyed.Map[string, int]
	// then is called in expired, when it is not nil. Set before the first arming.
	then func(k string, v int)
	ends []end
}

// An end is a value that expired, and when.
type end struct {
	key   string
	value int
	after time.Duration
}

// inBubble runs f on virtual time. Values expire one after another.
func inBubble(t *testing.T, f func(x *fixture)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew(hashedwheel.WithTick(tick), timertest.Inline)
		defer tm.Stop()
		x := &fixture{T: t, tm: tm}
		start := time.Now()
		x.m = keyed.New(tm, func(k string, v int) {
			x.ends = append(x.ends, end{k, v, time.Since(start)})
			if x.then != nil {
				x.then(k, v)
			}
		})
		f(x)
	})
}

// pass lets d go by, and waits until all goroutines of the bubble are idle.
func (x *fixture) pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func (x *fixture) set(k string, v int, d time.Duration) {
	x.Helper()
	require.NoError(x, x.m.Set(k, v, d))
}

// touch reports whether a Touch moved k.
func (x *fixture) touch(k string, d time.Duration) bool {
	_, ok := x.m.Touch(k, d)
	return ok
}

// content returns the keys and values that All yields.
func (x *fixture) content() map[string]int {
	got := map[string]int{}
	for k, v := range x.m.All() {
		require.NotContains(x, got, k, "seen twice")
		got[k] = v
	}
	return got
}
