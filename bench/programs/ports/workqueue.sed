module k8s.io/client-go v0.37.2
# Every delayed item has a Timeout, in place of a heap and a goroutine that waits for its first.
# With a clock of the caller's own, only delays are kept.
file util/workqueue/delaying_queue.go
20d
24c\
	"github.com/hashedwheel/hashedwheel"\
	"github.com/hashedwheel/hashedwheel/bench/programs/wheel"
149,154c\
		TypedInterface: q,\
		clock:          clock,\
		waiting:        map[T]*waitFor[T]{},\
		metrics:        newRetryMetrics(name, provider),
157d
168,169d
173,177c\
	mu      sync.Mutex\
	waiting map[T]*waitFor[T] // guarded by mu
184c\
type waitFor[T comparable] struct {\
	timeout hashedwheel.Timeout\
	queue   *delayingType[T]
186,188d
191,235c\
var onWheel = wheel.New(hashedwheel.WithExecutor(hashedwheel.Inline{}))\
\
// Run is called when the item is ready.\
func (w *waitFor[T]) Run(*hashedwheel.Timeout) {\
	q := w.queue\
	q.mu.Lock()\
	if q.waiting[w.data] != w { // the queue was shut down\
		q.mu.Unlock()\
		return\
	}\
	delete(q.waiting, w.data)\
	q.mu.Unlock()\
	q.Add(w.data)
243,244c\
		q.mu.Lock()\
		defer q.mu.Unlock()\
		for _, w := range q.waiting {\
			w.timeout.Stop()\
		}\
		q.waiting = nil
263,369c\
	at := onWheel.Now().Add(duration)\
	q.mu.Lock()\
	defer q.mu.Unlock()\
	w := q.waiting[item]\
	switch {\
	case q.waiting == nil: // shut down\
	case w == nil:\
		w = &waitFor[T]{queue: q, data: item}\
		w.timeout.Init(onWheel, w)\
		q.waiting[item] = w\
		w.timeout.ResetAt(at)\
	case at.Before(w.timeout.Deadline()):\
		w.timeout.MoveAt(at)\
	}\
}
