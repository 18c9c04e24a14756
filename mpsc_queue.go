package hashedwheel

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"unsafe"
)

// mpscQueue hands timeouts from many producers to one consumer, without locks. Each stripe
// is a stack: a producer pushes with one CAS on the head, the consumer takes all with one
// Swap, so neither holds up the other. (Treiber's stack; no ABA, since nobody pops.)
//
// Closing swaps a sentinel in: a push comes before it, and is in what close returns, or
// after it, and is refused. verify/spin checks all that against parking and Timer.Stop.
type mpscQueue struct {
	stripes []stripe // as many as a power of two
	closed  Timeout  // the sentinel, by its address
	looked  uintptr  // how many stripes take has looked at; the consumer's, away from what producers read
}

type stripe struct {
	head  atomic.Pointer[Timeout] // CAS in push publishes link; pairs with Swap in take and close
	depth atomic.Int32            // sampled pushes since the last take
	_     [stripeSize - unsafe.Sizeof(uintptr(0)) - 4]byte
}

const (
	stripeSize = 128 // two cache lines, since they are fetched in pairs

	// Consecutive allocations of one P share a page of the heap: it tells producers on
	// different Ps apart.
	pageShift = 13

	// One push in 128 is counted, chosen by a hash of the address, so that timeouts in
	// larger structs count like those packed one behind the other.
	sampleShift = 64 - 7
	fibonacci   = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio: Knuth, TAOCP 6.4

	// In sampled pushes: at about 512 timeouts, 32 KiB if they are packed, which take
	// 10 µs to file (go test -bench Drain). All stripes of a processor fit its cache.
	deep = 4
)

func (q *mpscQueue) init() {
	n := 4 * runtime.GOMAXPROCS(0) // spare ones, since stripes are met by chance
	n = min(256, 1<<bits.Len(uint(n-1)))
	q.stripes = make([]stripe, n)
}

type pushed uint8

const (
	accepted pushed = iota
	refused         // the queue is closed
	deepened        // accepted, and the stripe has become deep: the producer should help
)

// push adds t, which the caller has marked queued.
func (q *mpscQueue) push(t *Timeout) pushed {
	s := q.stripeOf(t)
	for {
		head := s.head.Load()
		if head == &q.closed {
			return refused
		}
		t.link = head
		if s.head.CompareAndSwap(head, t) {
			break
		}
	}
	if isSampled(t) && s.depth.Add(1) >= deep {
		return deepened
	}
	return accepted
}

func (q *mpscQueue) stripeOf(t *Timeout) *stripe {
	return &q.stripes[uintptr(unsafe.Pointer(t))>>pageShift&uintptr(len(q.stripes)-1)]
}

func isSampled(t *Timeout) bool {
	address := uint64(uintptr(unsafe.Pointer(t)))
	return (address^address>>8)*fibonacci>>sampleShift == 0 // without the shift a stride may never be met
}

// take removes one stripe's timeouts, linked by link, the newest first; nil if the queue is
// empty. Stripes take turns, so none starves under a drain limit.
func (q *mpscQueue) take() *Timeout {
	for range q.stripes {
		s := &q.stripes[q.looked&uintptr(len(q.stripes)-1)]
		q.looked++
		if list := q.takeFrom(s); list != nil {
			return list
		}
	}
	return nil
}

func (q *mpscQueue) takeFrom(s *stripe) *Timeout {
	if head := s.head.Load(); head == nil || head == &q.closed {
		return nil
	}
	s.depth.Store(0)
	return s.head.Swap(nil)
}

// empty reports whether all that was pushed has been taken. A closed queue is not empty.
func (q *mpscQueue) empty() bool {
	for i := range q.stripes {
		if q.stripes[i].head.Load() != nil {
			return false
		}
	}
	return true
}

// close refuses every later push and returns what was pushed before, a list for each stripe. It
// must be called once.
func (q *mpscQueue) close() (lists []*Timeout) {
	for i := range q.stripes {
		lists = append(lists, q.stripes[i].head.Swap(&q.closed))
	}
	return lists
}
