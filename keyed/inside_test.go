package keyed_test

import (
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

func TestExpiredMayUseTheMapAndItsKeyIsGone(t *testing.T) {
	inBubble(t, func(x *fixture) {
		x.then = func(k string, _ int) {
			_, ok := x.m.Get(k)
			assert.False(t, ok)
			assert.False(t, x.touch(k, time.Second))
			_, ok = x.m.Delete(k)
			assert.False(t, ok)
			assert.Equal(t, 1, x.m.Len())
			assert.Equal(t, map[string]int{"b": 2}, x.content())
			assert.True(t, x.touch("b", time.Second))
			x.then = nil
			x.set(k, 3, 50*time.Millisecond)
		}
		x.set("a", 1, 50*time.Millisecond)
		x.set("b", 2, 2*time.Second)
		x.pass(time.Hour)
		assert.Equal(t, []end{
			{"a", 1, 50 * time.Millisecond}, {"a", 3, 100 * time.Millisecond}, {"b", 2, 1050 * time.Millisecond},
		}, x.ends)
	})
}

// A curious clock calls a map at each reading: it would hang if its Now were called under a lock.
type curious struct {
	hashedwheel.Clock
	ask atomic.Pointer[func()]
}

func (c *curious) Now() time.Time {
	if ask := c.ask.Load(); ask != nil {
		(*ask)()
	}
	return c.Clock.Now()
}

func TestNoLockIsHeldWhileTheClockIsRead(t *testing.T) {
	clock := &curious{Clock: hashedwheel.NewManualClock(time.Now())}
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock))
	defer tm.Stop()
	m := keyed.New(tm, func(int, int) {})
	require.NoError(t, m.Set(1, 1, time.Hour))
	ask := func() { m.Get(1) }
	clock.ask.Store(&ask)
	timertest.Returns(t, func() {
		assert.NoError(t, m.Set(1, 2, time.Hour))
		_, ok := m.Touch(1, time.Hour)
		assert.True(t, ok)
	})
}
