package chaos

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/hashedwheel/hashedwheel"
)

// mishap is the value with which tasks, executors and panic handlers panic.
type mishap struct{ of string }

// wildExecutor runs tasks at once, or in goroutines that recover whatever leaves them, and sometimes drops one by a
// panic or runtime.Goexit.
type wildExecutor struct {
	dropped atomic.Int64 // tasks that never run
	running sync.WaitGroup
}

func (e *wildExecutor) Go(f func()) {
	switch rand.IntN(60) {
	case 0:
		e.dropped.Add(1)
		panic(mishap{"executor"})
	case 1:
		e.dropped.Add(1)
		runtime.Goexit()
	case 2:
		e.runElsewhere(f)
		panic(mishap{"executor"})
	case 3:
		e.runElsewhere(f)
		runtime.Goexit()
	case 4, 5, 6, 7, 8, 9:
		e.runElsewhere(f)
	default:
		f()
	}
}

// runElsewhere does not return before the task has begun: if Go panics before that, the timer does not wait for the
// task.
func (e *wildExecutor) runElsewhere(f func()) {
	begun := make(chan struct{})
	e.running.Go(func() {
		defer func() { _ = recover() }() // the panic handler's
		close(begun)
		f()
	})
	<-begun
}

// executor chooses an executor; wild is that executor if it is a wildExecutor.
func executor() (option []hashedwheel.Option, name string, wild *wildExecutor) {
	switch rand.IntN(5) {
	case 0:
		return []hashedwheel.Option{hashedwheel.WithExecutor(hashedwheel.Inline{})}, "Inline", nil
	case 1:
		each := hashedwheel.ExecutorFunc(func(f func()) { go f() })
		return []hashedwheel.Option{hashedwheel.WithExecutor(each)}, "goroutines", nil
	case 2:
		wild = new(wildExecutor)
		return []hashedwheel.Option{hashedwheel.WithExecutor(wild)}, "a wild one", wild
	case 3:
		return []hashedwheel.Option{hashedwheel.WithExecutor(hashedwheel.Limit(1 + rand.IntN(4)))}, "Limit", nil
	}
	return nil, "default", nil
}
