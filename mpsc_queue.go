package hashedwheel

import (
	"math/bits"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// mpscQueue hands timeouts from many producers to one consumer. Each stripe is a stack: a push is one CAS on
// the head, and the consumer takes the whole stack with one Swap. (Treiber's stack; no ABA, since no
// goroutine pops.) Closing swaps a sentinel in: an earlier push is in close's result, a later one refused.
type mpscQueue struct {
	stripes []stripe // as many as a power of two; this and the next three are init's, then read only
	deep    int32    // the depth of a stripe at which its producers help
	closed  Timeout  // the sentinel, by its address
}

// A stripe's lock is held to take, comb or close it. A push does not look at the lock, since it changes
// only the head and the link of its own timeout.
type stripe struct {
	head      atomic.Pointer[Timeout] // CAS in push publishes link; pairs with Swap in take and close, and Load in comb
	depth     atomic.Int32            // about how many wait here: push adds, comb subtracts, take clears, help reads
	combDepth atomic.Int32            // the depth from which combing is worth a try: comb and take store, push reads
	mu        sync.Mutex
	wanted    atomic.Bool    // keeps combers out: awaitComber sets it, the next take that finds any clears it
	_         [128 - 28]byte // two cache lines a stripe, since they are fetched in pairs
}

// This does not compile if a stripe is more than 128 bytes.
const _ = uint(128 - unsafe.Sizeof(stripe{}))

const (
	pageShift = 13                 // a page of the heap: one P's allocations share it, those of different Ps do not
	fibonacci = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio: Knuth, TAOCP 6.4
	counted   = limits.Counted     // one push in so many is counted, and stands for as many
	combLimit = limits.Deep        // the most timeouts that one combing looks at
)

func (q *mpscQueue) init() {
	n := 4 * runtime.GOMAXPROCS(0)                  // more than producers, since those meet in a stripe by chance
	q.makeStripes(min(256, 1<<bits.Len(uint(n-1)))) // 256: 32 KiB, and as many looks in an empty drain
}

// makeStripes sets the depth of n stripes: no less than with eight, since the timeouts that one goroutine allocates
// fill a page, and so one stripe. One counted push makes no stripe deep.
func (q *mpscQueue) makeStripes(n int) {
	q.stripes = make([]stripe, n)
	q.deep = int32(limits.Deep / min(n, 8))
}

type pushed uint8

const (
	accepted pushed = iota
	refused         // the queue is closed
	halfway         // accepted, and the stripe is half as deep as where producers help: the worker is to come
	deepened        // accepted, and the stripe is deep: the producer helps
	littered        // deepened, and the timeout below can be dropped
)

// push adds t, which the caller has marked queued.
func (q *mpscQueue) push(t *Timeout) pushed {
	s := q.stripeOf(t)
	for {
		below := s.head.Load()
		if below == &q.closed {
			return refused
		}
		t.link = below
		if s.head.CompareAndSwap(below, t) {
			if isCounted(t) {
				return s.count(below, q.deep)
			}
			return accepted
		}
	}
}

// count counts a push on top of below, for counted pushes.
func (s *stripe) count(below *Timeout, deep int32) pushed {
	depth := s.depth.Add(counted)
	switch {
	case depth < deep/2:
		return accepted
	case depth < deep:
		return halfway
	case depth >= s.combDepth.Load() && below != nil && below.load().isLitter():
		return littered
	}
	return deepened
}

func (q *mpscQueue) stripeOf(t *Timeout) *stripe {
	return &q.stripes[uintptr(unsafe.Pointer(t))>>pageShift&uintptr(len(q.stripes)-1)]
}

// isCounted lets a hash of the address decide, so that timeouts in larger structs are counted as often. Without
// address>>8 those at some strides would never be.
func isCounted(t *Timeout) bool {
	address := uint64(uintptr(unsafe.Pointer(t)))
	return (address^address>>8)*fibonacci < (1<<64-1)/counted
}

// comb drops timeouts that were stopped while they waited in the stripe, and reports whether that was enough: the
// stripe is no longer deep, or most of what it looked at was dropped. It takes no lock of the timer, so the cost of a
// stopped timeout stays with the processor that made it. The head stays in place, so that the queue never looks empty.
//
// A comber owns the links below the head, by the stripe's lock. drop fails if the timeout was armed again.
func (q *mpscQueue) comb(s *stripe) (enough bool) {
	if s.wanted.Load() || !s.mu.TryLock() {
		return false
	}
	defer s.mu.Unlock()
	above := s.head.Load()
	if above == nil {
		return false
	}
	var dropped, uncounted int
	for range combLimit {
		t := above.link
		if t == nil {
			break
		}
		w, below := t.load(), t.link
		if !w.isLitter() {
			above = t
			continue
		}
		if !t.drop(w) {
			continue
		}
		above.link = below
		dropped++
		if isCounted(t) {
			uncounted += counted
		}
	}
	depth := s.depth.Add(-int32(uncounted))
	s.combDepth.Store(max(q.deep, 2*depth))
	return dropped >= combLimit/2 || depth < q.deep
}

// take removes all timeouts that wait in the stripe: a list by link, the newest first; nil if it is empty. It reports
// false if the stripe is being combed.
func (s *stripe) take() (list *Timeout, ok bool) {
	if s.head.Load() == nil {
		return nil, true
	}
	if !s.mu.TryLock() {
		return nil, false
	}
	defer s.mu.Unlock()
	s.wanted.Store(false)
	s.depth.Store(0)
	s.combDepth.Store(0)
	return s.head.Swap(nil), true
}

// awaitComber returns when the stripe is not being combed. Combers that look at wanted from now on leave the stripe
// until it is taken; one that has looked already may comb once more, and take is tried again.
func (s *stripe) awaitComber() {
	s.wanted.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock() // nothing else: who has had the lock has waited
}

func (q *mpscQueue) isClosed() bool { return q.stripes[0].head.Load() == &q.closed }

// close, which is called once, refuses every later push and returns a list of the others for each stripe.
func (q *mpscQueue) close() (lists []*Timeout) {
	for i := range q.stripes {
		s := &q.stripes[i]
		s.mu.Lock()
		lists = append(lists, s.head.Swap(&q.closed))
		s.mu.Unlock()
	}
	return lists
}
