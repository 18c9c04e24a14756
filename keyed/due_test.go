package keyed_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// A held executor keeps tasks until they are released: in between a value's time has
// come, and its expired has not been called.
type held struct {
	mu    sync.Mutex
	tasks []func() // guarded by mu
}

func (h *held) Go(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tasks = append(h.tasks, f)
}

// forget drops what was kept and returns it.
func (h *held) forget() []func() {
	h.mu.Lock()
	defer h.mu.Unlock()
	tasks := h.tasks
	h.tasks = nil
	return tasks
}

// release runs what was kept, in this goroutine, and says how much that was.
func (h *held) release() int {
	tasks := h.forget()
	for _, f := range tasks {
		f()
	}
	return len(tasks)
}

// whenDue runs f at a moment at which "a", with the value 1, is due and the executor
// has its task, and lets that begin at the end.
func whenDue(t *testing.T, f func(x *fixture, h *held), opts ...hashedwheel.Option) {
	t.Helper()
	h := new(held)
	inBubble(t, func(x *fixture) {
		x.set("a", 1, 50*time.Millisecond)
		x.pass(50 * time.Millisecond)
		require.Empty(t, x.expired())
		f(x, h)
	}, append(opts, hashedwheel.WithExecutor(h))...)
}

func TestAValueWhoseTimeHasComeIsThereUntilExpiredIsCalled(t *testing.T) {
	whenDue(t, func(x *fixture, h *held) {
		v, ok := x.m.Get("a")
		assert.True(t, ok)
		assert.Equal(t, 1, v)
		assert.Equal(t, map[string]int{"a": 1}, x.content())
		h.release()
		assert.Len(t, x.expired(), 1)
		assert.Zero(t, x.m.Len())
	})
}

func TestATouchBeforeExpiredIsCalledWins(t *testing.T) {
	whenDue(t, func(x *fixture, h *held) {
		assert.True(t, x.m.Touch("a", time.Second))
		h.release()
		assert.Empty(t, x.expired())
		x.pass(time.Second - 1)
		assert.Zero(t, h.release())
		x.pass(tick)
		assert.Equal(t, 1, h.release())
		assert.Len(t, x.expired(), 1)
	})
}

func TestASetBeforeExpiredIsCalledWins(t *testing.T) {
	whenDue(t, func(x *fixture, h *held) {
		x.set("a", 2, time.Second)
		h.release()
		assert.Empty(t, x.expired(), "the first value was replaced")
		x.pass(time.Second + tick)
		h.release()
		require.Len(t, x.expired(), 1)
		assert.Equal(t, 2, x.expired()[0].value)
	})
}

func TestADeleteBeforeExpiredIsCalledWins(t *testing.T) {
	whenDue(t, func(x *fixture, h *held) {
		v, ok := x.m.Delete("a")
		assert.True(t, ok)
		assert.Equal(t, 1, v)
		h.release()
		assert.Empty(t, x.expired())
	})
}

func TestADrainBeforeExpiredIsCalledWins(t *testing.T) {
	whenDue(t, func(x *fixture, h *held) {
		drained := 0
		x.m.Drain(func(_ string, v int) { drained += v })
		h.release()
		assert.Equal(t, 1, drained)
		assert.Empty(t, x.expired())
	})
}

func TestTheRunOfAKeyThatWasDeletedDoesNotEndTheNewOne(t *testing.T) {
	whenDue(t, func(x *fixture, h *held) {
		x.m.Delete("a")
		x.set("a", 2, time.Second)
		h.release()
		assert.Empty(t, x.expired())
		assert.Equal(t, map[string]int{"a": 2}, x.content())
	})
}

func TestTwoRunsOfOneKeyExpireItOnce(t *testing.T) {
	whenDue(t, func(x *fixture, h *held) {
		assert.True(t, x.m.Touch("a", 0))
		x.pass(tick)
		require.Equal(t, 2, h.release())
		assert.Equal(t, []end{{"a", 1, 60 * time.Millisecond}}, x.expired())
	})
}

// A pool that is overloaded may drop a task. What was set is not lost with it.
func TestAnExecutorThatForgetsATaskLosesNoKey(t *testing.T) {
	whenDue(t, func(x *fixture, h *held) {
		assert.Len(t, h.forget(), 1)
		assert.Equal(t, map[string]int{"a": 1}, x.content())
		assert.True(t, x.m.Touch("a", time.Second))
		x.pass(time.Second + tick)
		h.release()
		assert.Len(t, x.expired(), 1)
	})
}
