package timertest

import (
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// OnWorker runs tasks on the worker, one after another: a slow task stalls the worker.
var OnWorker = hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { f() }))

// Inline runs tasks on the worker by the library's own executor.
var Inline = hashedwheel.WithExecutor(hashedwheel.Inline{})

// EachExecutor has the options for the library's two executors and a user's.
var EachExecutor = map[string][]hashedwheel.Option{
	"default":    nil,
	"Inline":     {Inline},
	"goroutines": {hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) { go f() }))},
}

// HeldBack is an executor that runs nothing before Release.
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

// Release runs the tasks that were held back, and returns how many there were.
func (h *HeldBack) Release() int {
	h.mu.Lock()
	tasks := h.tasks
	h.tasks = nil
	h.mu.Unlock() // before the tasks run: a task may have another dispatched
	for _, f := range tasks {
		f()
	}
	return len(tasks)
}

// Epoch is the time at which the clock of NewManual starts.
var Epoch = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// NewManual returns a timer with a tick of 10ms whose clock moves only by Advance.
func NewManual(opts ...hashedwheel.Option) (*hashedwheel.ManualClock, *hashedwheel.Timer) {
	clock := hashedwheel.NewManualClock(Epoch)
	return clock, NewManualOn(clock, opts...)
}

// NewManualOn returns a timer with a tick of 10ms on a clock, with tasks on the worker.
func NewManualOn(clock *hashedwheel.ManualClock, opts ...hashedwheel.Option) *hashedwheel.Timer {
	first := []hashedwheel.Option{hashedwheel.WithClock(clock), hashedwheel.WithTick(10 * time.Millisecond), OnWorker}
	return hashedwheel.MustNew(append(first, opts...)...)
}
