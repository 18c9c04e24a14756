// Package workqueue has the delaying queue of k8s.io/client-go/util/workqueue on a wheel.
package workqueue

import (
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"k8s.io/client-go/util/workqueue"
)

// A Queue is for DelayingQueue in a workqueue.TypedRateLimitingQueueConfig. It does what client-go's own delaying queue
// does, with the same metrics, and has no goroutine. Forget is new.
//
// The Timer should have the executor Inline: to add an item takes about a microsecond, and due items are then added in
// the order of their times, to the tick. Call ShutDown before Timer.Stop, which would lose the items that wait.
type Queue[T comparable] struct {
	workqueue.TypedInterface[T] // the items that are due
	timer                       *hashedwheel.Timer
	retries                     workqueue.TypedDelayingInterface[T]

	mu      sync.Mutex
	waiting map[T]*delayed[T] // guarded by mu; nil from ShutDown on
}

// A delayed item waits for its time. It is one allocation.
type delayed[T comparable] struct {
	timeout hashedwheel.Timeout
	queue   *Queue[T]
	item    T
}

// New returns a Queue whose waiting items are on tm. It uses the Name, MetricsProvider, Clock and Queue of config, as
// client-go does; the Clock is for the metrics alone.
func New[T comparable](tm *hashedwheel.Timer, config workqueue.TypedDelayingQueueConfig[T]) *Queue[T] {
	q := &Queue[T]{TypedInterface: config.Queue, timer: tm, waiting: map[T]*delayed[T]{}}
	if q.TypedInterface == nil {
		q.TypedInterface = workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[T]{
			Name: config.Name, MetricsProvider: config.MetricsProvider, Clock: config.Clock,
		})
	}
	config.Queue = sink[T]{}
	q.retries = workqueue.NewTypedDelayingQueueWithConfig(config)
	q.retries.ShutDown() // its goroutine ends; it still counts
	return q
}

// A sink ignores all items. A delaying queue of client-go on a sink counts retries and does nothing else: the provider
// that workqueue.SetProvider has set can be reached in no other way.
type sink[T comparable] struct{ workqueue.TypedInterface[T] }

func (sink[T]) Add(T)              {}
func (sink[T]) ShutDown()          {}
func (sink[T]) ShuttingDown() bool { return false }

// NewQueue returns a function for NewQueue in controller.Options of sigs.k8s.io/controller-runtime. The controllers may
// share tm. They give up controller-runtime's priority queue: all items have the same priority. A reconciler that calls
// Forget needs the Queue: give it the result of New in a function like this one.
func NewQueue[T comparable](
	tm *hashedwheel.Timer,
) func(name string, limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
	return func(name string, limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
		return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[T]{
			DelayingQueue: New(tm, workqueue.TypedDelayingQueueConfig[T]{Name: name}),
		})
	}
}

// AddAfter adds item once d has passed, at most one tick late; at once if d is zero or less. If item is waiting
// already, the earlier time counts. After ShutDown it does nothing.
func (q *Queue[T]) AddAfter(item T, d time.Duration) {
	if q.ShuttingDown() {
		return
	}
	q.retries.AddAfter(item, 0)
	if d <= 0 {
		q.Add(item)
		return
	}
	at := q.timer.Now().Add(d)
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.waiting[item]
	switch {
	case w != nil && !at.Before(w.timeout.Deadline()), q.waiting == nil:
		return
	case w == nil:
		w = &delayed[T]{queue: q, item: item}
		w.timeout.Init(q.timer, w)
		q.waiting[item] = w
	}
	w.timeout.ResetAt(at)
	if w.timeout.Err() != nil { // the Timer is stopped: no item is lost
		time.AfterFunc(d, func() { w.Run(nil) })
	}
}

// Run is the task of the Timeout. It adds nothing if the item was taken out while this run was under way.
func (w *delayed[T]) Run(*hashedwheel.Timeout) {
	if w.queue.remove(w) {
		w.queue.Add(w.item)
	}
}

// remove takes w out of the waiting items, and reports whether it was there.
func (q *Queue[T]) remove(w *delayed[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting[w.item] != w {
		return false
	}
	delete(q.waiting, w.item)
	return true
}

// Forget takes out an item that is waiting, and reports whether there was one. Items that are due stay. The Forget of a
// rate-limiting queue is another method: it resets the number of failures alone. (kubernetes/kubernetes#113607 proposed
// this one for client-go.)
func (q *Queue[T]) Forget(item T) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.waiting[item]
	if w == nil {
		return false
	}
	delete(q.waiting, item)
	w.timeout.Stop()
	return true
}

// ShutDown drops the waiting items, and shuts down the queue of due items.
func (q *Queue[T]) ShutDown() {
	q.drop()
	q.TypedInterface.ShutDown()
}

// ShutDownWithDrain is ShutDown, and waits until all items that are due have been processed.
func (q *Queue[T]) ShutDownWithDrain() {
	q.drop()
	q.TypedInterface.ShutDownWithDrain()
}

func (q *Queue[T]) drop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, w := range q.waiting {
		w.timeout.Stop()
	}
	q.waiting = nil
}
