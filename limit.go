package hashedwheel

import (
	"fmt"
	"sync"
)

// Limit returns an Executor that runs at most n tasks at once, in goroutines. The others wait in a queue, in order. Go
// never blocks, so they delay no task of the library, such as a channel of After. If all n tasks wait for a task that
// is queued, they deadlock.
//
// The queue is not bounded: it grows if tasks expire faster than they return. The timeout of a queued task has expired,
// so WithMaxPending does not count it, Stats does not show how long the task waits, and Timeout.Stop and Timer.StopAll
// come too late; Timer.Shutdown waits for the task. If the timeout may have been armed again in the meantime, the task
// should check that its State is not Pending.
//
// A task that has returned happens before tasks that start later. So with Limit(1), tasks need no lock for data that
// only they share. Tasks share goroutines: a task that locks its thread permanently should end its goroutine by
// runtime.Goexit, and one that sets profiler labels should restore them, as pprof.Do does.
//
// A Limit can serve several Timers. Limit panics if n is less than 1.
func Limit(n int) Executor {
	if n < 1 {
		panic(fmt.Sprintf("hashedwheel: Limit(%d): must be positive", n))
	}
	l := &limit{free: n, first: new(chunk)}
	l.last = l.first
	return l
}

// limit has a queue of tasks and up to n goroutines that run them. A goroutine that finds the queue empty ends.
type limit struct {
	mu          sync.Mutex
	free        int    // how many more goroutines may start; guarded by mu, like the rest
	first, last *chunk // of the queue; the same one if the queue is short
	begin, end  int    // of the queue, in first and in last
}

// chunk is a part of the queue. One slice for all would have to grow: copying a million tasks would delay the worker by
// tens of milliseconds.
type chunk struct {
	tasks [128]func() // 1 KiB
	next  *chunk
}

// Go queues f, and starts a goroutine if n do not run yet.
func (l *limit) Go(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.end == len(l.last.tasks) {
		l.last.next = new(chunk)
		l.last, l.end = l.last.next, 0
	}
	l.last.tasks[l.end] = f
	l.end++
	if l.free > 0 {
		l.free--
		go l.run()
	}
}

// run runs tasks until none is queued. If a task ends the goroutine by runtime.Goexit, another one continues.
func (l *limit) run() {
	gone := false
	defer func() {
		if !gone {
			go l.run()
		}
	}()
	for f := l.next(); f != nil; f = l.next() {
		f()
	}
	gone = true
}

// next takes the first task from the queue. If there is none, next returns nil, and the goroutine must end.
func (l *limit) next() (f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.first == l.last && l.begin == l.end {
		l.begin, l.end = 0, 0
		l.free++
		return nil
	}
	if l.begin == len(l.first.tasks) {
		l.first, l.begin = l.first.next, 0
	}
	f, l.first.tasks[l.begin] = l.first.tasks[l.begin], nil // let the collector have it
	l.begin++
	return f
}
