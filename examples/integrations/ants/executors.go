package main

import (
	"sync"

	"github.com/hashedwheel/hashedwheel"
	"github.com/panjf2000/ants/v2"
)

// The worker of a Timer calls Executor.Go for one task after another. An Executor must run every
// task: if it drops one, the task is lost, and Shutdown waits for it. Ants recovers a panic in a
// task and only logs it; WithPanicHandler recovers it first.

// blocking waits until the pool has room. Until then later timeouts stay pending and are late:
// that is back-pressure, and needs a separate Timer.
//
// A task in such a pool must not wait for its own Timer, as in <-tm.After(d): if all workers of
// the pool wait for the Timer, and the Timer for the pool, that is a deadlock.
func blocking(pool *ants.Pool) hashedwheel.Executor {
	return hashedwheel.ExecutorFunc(func(f func()) {
		if pool.Submit(f) != nil {
			go f() // the pool was released before the Timer was shut down
		}
	})
}

// A queued executor never waits. Its pool refuses tasks when it is full (ants.WithNonblocking), and
// the executor keeps them in a queue.
type queued struct {
	pool *ants.Pool

	mu      sync.Mutex
	waiting []func() // guarded by mu
	running int      // calls of work that have not ended; guarded by mu
}

// Go appends f to the queue and makes sure that a worker takes it. The queue has no bound:
// WithMaxPending does not count its tasks.
func (q *queued) Go(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, f)
	switch {
	case q.running == q.pool.Cap():
		return // all workers take tasks
	case q.pool.Submit(q.work) == nil:
	case q.running == 0:
		go q.work() // another user has filled the pool, or it was released: no worker would take f
	default:
		return
	}
	q.running++
}

// work runs in the pool and takes one task after another until the queue is empty.
func (q *queued) work() {
	for {
		f := q.next()
		if f == nil {
			return
		}
		f()
	}
}

func (q *queued) next() func() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.waiting) == 0 {
		q.waiting = nil // for the collector
		q.running--
		return nil
	}
	f := q.waiting[0]
	q.waiting[0] = nil // for the collector
	q.waiting = q.waiting[1:]
	return f
}

// careless ignores that the pool refused the task. Do not do this.
func careless(pool *ants.Pool) hashedwheel.Executor {
	return hashedwheel.ExecutorFunc(func(f func()) { _ = pool.Submit(f) })
}
