// Package workqueue provides the delaying queue of k8s.io/client-go/util/workqueue on a wheel.
package workqueue

import (
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"k8s.io/client-go/util/workqueue"
)

// A Queue is for DelayingQueue in a workqueue.TypedRateLimitingQueueConfig. It works like client-go's delaying queue,
// with the same metrics, and without a goroutine.
//
// Use a Timer with the executor Inline: adding an item takes about a microsecond, and due items are added in the order
// of their times, to the tick. Call ShutDown before Timer.StopAll: an item that waits at StopAll is not added until
// AddAfter is called for it again.
type Queue[T comparable] struct {
	workqueue.TypedInterface[T] // due items
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

// New returns a Queue whose waiting items are on tm. It uses the Name, MetricsProvider, Clock and Queue of config as
// client-go does, except that the Clock is for the metrics only.
func New[T comparable](tm *hashedwheel.Timer, config workqueue.TypedDelayingQueueConfig[T]) *Queue[T] {
	q := &Queue[T]{TypedInterface: config.Queue, timer: tm, waiting: map[T]*delayed[T]{}}
	if q.TypedInterface == nil {
		q.TypedInterface = workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[T]{
			Name: config.Name, MetricsProvider: config.MetricsProvider, Clock: config.Clock,
		})
	}
	config.Queue = sink[T]{}
	q.retries = workqueue.NewTypedDelayingQueueWithConfig(config)
	q.retries.ShutDown() // ends its goroutine; AddAfter still counts retries
	return q
}

// A sink ignores all items. A client-go delaying queue on a sink counts retries and does nothing else. There is no
// other access to the provider that workqueue.SetProvider has set.
type sink[T comparable] struct{ workqueue.TypedInterface[T] }

func (sink[T]) Add(T)              {}
func (sink[T]) ShutDown()          {}
func (sink[T]) ShuttingDown() bool { return false }

// NewQueue returns a function for NewQueue in controller.Options of sigs.k8s.io/controller-runtime. The controllers may
// share tm. They lose controller-runtime's priority queue: all items have the same priority.
func NewQueue[T comparable](
	tm *hashedwheel.Timer,
) func(name string, limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
	return func(name string, limiter workqueue.TypedRateLimiter[T]) workqueue.TypedRateLimitingInterface[T] {
		return workqueue.NewTypedRateLimitingQueueWithConfig(limiter, workqueue.TypedRateLimitingQueueConfig[T]{
			DelayingQueue: New(tm, workqueue.TypedDelayingQueueConfig[T]{Name: name}),
		})
	}
}

// AddAfter adds item after d, at most one tick late, or at once if d is not positive. If item is already waiting, the
// earlier time counts. After ShutDown, AddAfter does nothing.
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
	case q.waiting == nil:
		return
	case w != nil && w.timeout.State() == hashedwheel.Canceled: // by Timer.StopAll: its time does not count
	case w != nil && !at.Before(w.timeout.Deadline()):
		return
	case w == nil:
		w = &delayed[T]{queue: q, item: item}
		w.timeout.Init(q.timer, w)
		q.waiting[item] = w
	}
	w.timeout.ResetAt(at)
	if w.timeout.Err() != nil { // the Timer is stopped: the item must not be lost
		time.AfterFunc(d, func() { w.Run(nil) })
	}
}

// Run is the task of the Timeout. It does not add an item that was removed after the Timer dispatched this run.
func (w *delayed[T]) Run(*hashedwheel.Timeout) {
	if w.queue.remove(w) {
		w.queue.Add(w.item)
	}
}

// remove removes w from the waiting items, and reports whether w was among them.
func (q *Queue[T]) remove(w *delayed[T]) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.waiting[w.item] != w {
		return false
	}
	delete(q.waiting, w.item)
	return true
}

// ShutDown drops waiting items, and shuts down the queue of due items.
func (q *Queue[T]) ShutDown() {
	q.drop()
	q.TypedInterface.ShutDown()
}

// ShutDownWithDrain is like ShutDown, and waits until all due items have been processed.
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
