package channels_test

import (
	"testing"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

const tick = timertest.Tick

// openAmong returns how many of the channels are not closed.
func openAmong(channels []<-chan struct{}) (n int) {
	for _, c := range channels {
		if !timertest.IsClosed(c) {
			n++
		}
	}
	return n
}

// onAnyExecutor is timertest.InBubble on every executor, also on executors that run nothing.
func onAnyExecutor(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer)) {
	for name, opts := range map[string][]hashedwheel.Option{
		"goroutines":           nil,
		"Inline":               {hashedwheel.WithExecutor(hashedwheel.Inline{})},
		"the worker":           {timertest.OnWorker},
		"a pool that is stuck": {hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(func()) {}))},
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { f(t, tm) }, opts...)
		})
	}
}
