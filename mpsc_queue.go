package hashedwheel

import (
	"math/bits"
	"runtime"
	"sync/atomic"
	"unsafe"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// mpscQueue hands timeouts from many producers to one consumer. Each stripe is a stack: a push is one CAS on the head,
// and the consumer takes the whole stack with one Swap. (Treiber's stack; no ABA, since no goroutine pops.) Closing
// swaps a sentinel in: earlier pushes are in close's result, later ones are refused.
//
// Timeouts with a far deadline have a separate lane, which the consumer takes less often: nearly all of them are
// stopped by then. Near timeouts never wait behind them.
type mpscQueue struct {
	near   lane
	far    farLane
	closed Timeout // the sentinel, by its address

	refuses atomic.Bool // set once all stripes are closed: calls read it, and not a head, which producers write
}

// A lane is a set of stripes.
type lane struct {
	stripes []stripe // a power of two of them; set by init, then read only, like the next three
	half    int32    // the depth of a stripe at which the worker is woken
	deep    int32    // the depth at which producers file the stripe, if it holds stopped timeouts
	full    int32    // the depth at which producers file the stripe in any case
}

// farLane is the lane of timeouts with a far deadline. A pass takes it once per linger.
type farLane struct {
	lane
	margin int64       // ns: the least distance of a far deadline; set by init, then read only
	at     int64       // ns: when it is taken next; guarded by guarded.mu
	wanted atomic.Bool // the next pass takes it: a timeout that may be in it is no longer far
}

type stripe struct {
	head  atomic.Pointer[Timeout] // CAS in push publishes link; pairs with Swap in take and close
	depth atomic.Int32            // about how many wait here: push adds, take clears, help reads
	_     [128 - 12]byte          // two cache lines a stripe, since they are fetched in pairs
}

// This does not compile if a stripe is more than 128 bytes.
const _ = uint(128 - unsafe.Sizeof(stripe{}))

const (
	pageShift = 13                 // a page of the heap: one P's allocations share it, those of different Ps do not
	fibonacci = 0x9E3779B97F4A7C15 // 2^64 over the golden ratio: Knuth, TAOCP 6.4
	counted   = limits.Counted     // one push in this many is counted, and stands for all of them
)

func (q *mpscQueue) init(tickLen int64) {
	// Three times the time that a timeout may wait in the far lane: once until the lane is taken, once until the
	// timeout is filed, and once for a worker that is late.
	q.far.margin = 3 * (int64(linger) + tickLen)
	n := 4 * runtime.GOMAXPROCS(0)       // more than producers, which collide in a stripe by chance
	n = min(256, 1<<bits.Len(uint(n-1))) // 256: 32 KiB a lane, and as many loads when an empty lane is taken
	q.makeStripes(n)
}

// makeStripes divides the limits by the number of stripes, eight at most: the timeouts that one goroutine allocates lie
// on one page, and so in one stripe. A single counted push never makes a stripe deep.
func (q *mpscQueue) makeStripes(n int) {
	deep, full := int32(limits.Deep/min(n, 8)), int32(limits.Full/min(n, 8))
	q.near = lane{stripes: make([]stripe, n), half: deep / 2, deep: deep, full: deep}
	q.far.lane = lane{stripes: make([]stripe, n), half: full, deep: deep, full: full} // no half: far timeouts can wait
}

func (q *mpscQueue) lanes() [2]*lane { return [2]*lane{&q.near, &q.far.lane} }

type pushed uint8

const (
	refused pushed = iota // the queue is closed
	accepted
	halfway // accepted, and the stripe of the near lane is half full: the worker must run at the next tick
	filled  // accepted, and the stripe is full: the producer files a part of it
	zombies // the same, while the memory of stopped timeouts is in its processor's cache: that takes little time
)

// push adds t, which the caller has marked queued.
func (q *mpscQueue) push(t *Timeout, l *lane) pushed {
	s := l.stripeOf(t)
	for {
		below := s.head.Load()
		if below == &q.closed {
			return refused
		}
		t.link = below
		if s.head.CompareAndSwap(below, t) {
			if isCounted(t) {
				return l.count(s, below)
			}
			return accepted
		}
	}
}

// count adds a counted push to the depth of s. below is the timeout under the new head.
func (l *lane) count(s *stripe, below *Timeout) pushed {
	depth := s.depth.Add(counted)
	switch {
	case depth >= l.deep && below != nil && below.load().isZombie():
		return zombies
	case depth >= l.full:
		return filled
	case depth >= l.half:
		return halfway
	}
	return accepted
}

func (l *lane) stripeOf(t *Timeout) *stripe {
	return &l.stripes[uintptr(unsafe.Pointer(t))>>pageShift&uintptr(len(l.stripes)-1)]
}

func (l *lane) isEmpty() bool {
	for i := range l.stripes {
		if l.stripes[i].head.Load() != nil {
			return false
		}
	}
	return true
}

// isCounted decides by a hash of the address, so that timeouts in larger structs are counted equally often. Without
// address>>8, timeouts at some strides would never be counted.
func isCounted(t *Timeout) bool {
	address := uint64(uintptr(unsafe.Pointer(t)))
	return (address^address>>8)*fibonacci < (1<<64-1)/counted
}

// take removes all timeouts that wait in the stripe: a list by link, the newest first; nil if the stripe is empty.
func (s *stripe) take() (list *Timeout) {
	if s.head.Load() == nil {
		return nil
	}
	s.depth.Store(0)
	return s.head.Swap(nil)
}

// suits reports whether a timeout with a deadline may wait in the far lane. To save a clock read, it uses the next run
// as the current time. A run that is late takes the lane.
func (l *farLane) suits(deadline int64, next alarmWord) bool { return deadline-l.margin >= next.next() }

// isDue reports whether a pass takes the lane.
func (l *farLane) isDue(now int64) bool {
	if !l.wanted.Swap(false) && now < l.at {
		return false
	}
	l.at = now + int64(linger)
	return true
}

func (q *mpscQueue) isClosed() bool { return q.refuses.Load() }

// close, called once, refuses all later pushes and returns a list of the timeouts of each stripe.
func (q *mpscQueue) close() (lists []*Timeout) {
	for _, l := range q.lanes() {
		for i := range l.stripes {
			lists = append(lists, l.stripes[i].head.Swap(&q.closed))
		}
	}
	q.refuses.Store(true)
	return lists
}
