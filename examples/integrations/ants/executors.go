package main

import (
	"sync"

	"github.com/hashedwheel/hashedwheel"
	"github.com/panjf2000/ants/v2"
)

// The worker of a Timer calls Executor.Go for one task after another. What Go
// does when the pool is full decides who waits.
//
// Whatever it does, it must see to it that the task runs: an Executor that drops
// one has lost it, and the Timer waits for it in Shutdown. And ants recovers a
// panic in a task on its own and only logs it: a program that wants to know gives
// its Timer WithPanicHandler, which comes first.

// blocking waits until the pool has room. Meanwhile the wheel stands still: what
// is due later is late, and stays Pending. That is back-pressure, and wants a
// Timer of its own.
//
// A task in such a pool must not wait for its own Timer, as in <-tm.After(d): when
// all workers of the pool wait for the wheel, and the wheel for the pool, that is
// for ever.
func blocking(pool *ants.Pool) hashedwheel.Executor {
	return hashedwheel.ExecutorFunc(func(f func()) {
		if pool.Submit(f) != nil {
			go f() // the pool was released before the Timer was shut down
		}
	})
}

// A queued executor never waits. Its pool does not either: it refuses when it is
// full, see ants.WithNonblocking. What is refused waits in line.
type queued struct {
	pool *ants.Pool

	mu      sync.Mutex
	waiting []func() // guarded by mu
	running int      // calls of work that have not ended; guarded by mu
}

// Go puts f in line and makes sure that somebody will come for it. The line has
// no bound: WithMaxPending does not count what is in it.
func (q *queued) Go(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.waiting = append(q.waiting, f)
	switch {
	case q.running == q.pool.Cap():
		return // enough are on their way
	case q.pool.Submit(q.work) == nil:
	case q.running == 0:
		go q.work() // others have filled the pool, or it was released: nobody else would come
	default:
		return
	}
	q.running++
}

// work runs in the pool and takes one task after another, until none is left.
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
		q.waiting = nil // let the collector have it
		q.running--
		return nil
	}
	f := q.waiting[0]
	q.waiting[0] = nil // let the collector have it
	q.waiting = q.waiting[1:]
	return f
}

// careless ignores that the pool refused the task. Do not do this.
func careless(pool *ants.Pool) hashedwheel.Executor {
	return hashedwheel.ExecutorFunc(func(f func()) { _ = pool.Submit(f) })
}
