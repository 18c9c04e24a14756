package hashedwheel

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// mpscQueue hands timeouts from many producers to one consumer, without locks.
// Each stripe is a stack: a producer pushes with one CAS on the head, the
// consumer takes the whole stack with one Swap. No node is ever half linked and
// no producer touches another's node, so neither side can be held up by the
// other. (Treiber's stack; it cannot suffer from ABA because nobody pops.)
//
// Closing swaps a sentinel in: a push comes either before it, and is in what
// close returns, or after it, and is refused.
//
// verify/spin checks push, take and close against parking and Timer.Stop: nothing
// is lost or queued twice, and no wake-up is missed.
type mpscQueue struct {
	stripes []stripe
	mask    uintptr
	closed  Timeout // the sentinel, by its address
	next    uintptr // stripe that take looks at first; owned by the consumer, away from what producers read
}

type stripe struct {
	head  atomic.Pointer[Timeout] // CAS in push publishes link; pairs with Swap in take and close
	depth atomic.Int32            // pages begun since the last take
	_     [stripeSize - unsafe.Sizeof(uintptr(0)) - 4]byte
}

const (
	stripeSize = 128 // two cache lines, since they are fetched in pairs

	// A page of the Go heap: consecutive allocations of one P share it, so the
	// page of a new timeout tells producers on different Ps apart.
	pageShift = 13
	pageMask  = 1<<pageShift - 1

	// A stripe is deep at 4 pages, 32 KiB or some 400 to 500 timeouts, which take 10 µs
	// to drain: go test -bench Drain. There are four stripes or more for each
	// processor, so when all are deep they hold 128 KiB for each, and fit its cache.
	deepPages = 4 // a power of two

	maxStripes = 256
)

func (q *mpscQueue) init() {
	n := 4 * runtime.GOMAXPROCS(0) // spare ones, since stripes are met by chance
	n = min(maxStripes, 1<<bits.Len(uint(n-1)))
	q.stripes = make([]stripe, n)
	q.mask = uintptr(n - 1)
}

// push adds to, which the caller has marked queued. It is refused (!ok) once
// the queue is closed. If to begins a page, pages is how many the stripe now has.
func (q *mpscQueue) push(to *Timeout) (ok bool, pages int32) {
	address := uintptr(unsafe.Pointer(to))
	s := &q.stripes[address>>pageShift&q.mask]
	for {
		head := s.head.Load()
		if head == &q.closed {
			return false, 0
		}
		to.link = head
		if s.head.CompareAndSwap(head, to) {
			break
		}
	}
	// The first timeout of a page stands for the rest of it: a count without a
	// shared counter. It is right for timeouts that the heap packs one behind the
	// other, which begin a page once in 128. Those inside larger structs may never
	// be counted: they wait for the tick.
	if address&pageMask >= unsafe.Sizeof(*to) {
		return true, 0
	}
	return true, s.depth.Add(1)
}

// take removes one stripe's timeouts, the newest first, linked by link; nil when
// the queue is empty. Stripes take turns, so none starves under a drain limit.
func (q *mpscQueue) take() *Timeout {
	for range q.stripes {
		s := &q.stripes[q.next&q.mask]
		q.next++
		if list := q.takeFrom(s); list != nil {
			return list
		}
	}
	return nil
}

// takeAll hands what was pushed before it to f, and some of what is pushed
// meanwhile.
func (q *mpscQueue) takeAll(f func(*Timeout)) {
	for i := range q.stripes {
		forEach(q.takeFrom(&q.stripes[i]), f)
	}
}

func (q *mpscQueue) takeFrom(s *stripe) *Timeout {
	if head := s.head.Load(); head == nil || head == &q.closed {
		return nil
	}
	s.depth.Store(0)
	return s.head.Swap(nil)
}

// empty reports whether all that was pushed has been taken. A closed queue is
// not empty.
func (q *mpscQueue) empty() bool {
	for i := range q.stripes {
		if q.stripes[i].head.Load() != nil {
			return false
		}
	}
	return true
}

// close refuses every later push and hands what was pushed before to f. It must
// be called once.
func (q *mpscQueue) close(f func(*Timeout)) {
	for i := range q.stripes {
		forEach(q.stripes[i].head.Swap(&q.closed), f)
	}
}

// forEach walks a list of queued timeouts. It has read the link before it calls
// f, which may therefore unqueue the timeout or put it in another list.
func forEach(to *Timeout, f func(*Timeout)) {
	for to != nil {
		next := to.link
		f(to)
		to = next
	}
}
