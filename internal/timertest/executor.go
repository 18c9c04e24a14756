package timertest

import (
	"sync"
	"testing"

	"github.com/hashedwheel/hashedwheel"
)

// OnWorker runs tasks on the worker, one after another: a slow one stalls it.
var OnWorker = hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { f() }))

// EitherExecutor has the options for the two ways of the library, and for one of a user's.
var EitherExecutor = map[string][]hashedwheel.Option{
	"goroutines": nil,
	"Inline":     {hashedwheel.WithExecutor(hashedwheel.Inline{})},
	"a WaitGroup": {hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) {
		new(sync.WaitGroup).Go(f)
	}))},
}

// Executors are the three ways to run a task, for NewOn.
func Executors() map[string]hashedwheel.Executor {
	return map[string]hashedwheel.Executor{
		"Inline":     hashedwheel.Inline{},
		"goroutines": hashedwheel.ExecutorFunc(func(f func()) { go f() }),
		"default":    nil,
	}
}

// HeldBack is an executor that runs nothing before it is told to.
type HeldBack struct {
	mu    sync.Mutex
	tasks []func() // guarded by mu
}

// Go keeps f.
func (h *HeldBack) Go(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tasks = append(h.tasks, f)
}

// Release runs what was held back, and returns how many tasks that were.
func (h *HeldBack) Release() int {
	h.mu.Lock()
	tasks := h.tasks
	h.tasks = nil
	h.mu.Unlock()
	for _, f := range tasks {
		f()
	}
	return len(tasks)
}

// OnHeldBack is InBubble on an executor that holds tasks back.
func OnHeldBack(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer, pool *HeldBack), opts ...hashedwheel.Option) {
	t.Helper()
	pool := new(HeldBack)
	InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { f(t, tm, pool) },
		append(opts, hashedwheel.WithExecutor(pool))...)
}
