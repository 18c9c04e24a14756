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
// stopped by then. Near timeouts wait behind them only while a run files them.
type mpscQueue struct {
	near   lane
	far    farLane
	closed Timeout // the sentinel, by its address

	refuses atomic.Bool // set once all stripes are closed: calls read it, and not a head, which producers write
}

// A lane is a set of stripes.
type lane struct {
	stripes []stripe // a power of two of them; set by init, then read only, like the next two
	wakeAt  int32    // the depth of a stripe at which the worker is woken
	fileAt  int32    // the depth at which producers file a part of the stripe
}

// farLane is the lane of timeouts with a far deadline. A pass takes it once per linger.
type farLane struct {
	lane
	margin int64       // ns: the least distance of a far deadline; set by init, then read only, like the next
	hotAt  int32       // the depth at which a producer files a part of a stripe whose newest timeout it has stopped
	at     int64       // ns: when it is taken next; guarded by guarded.mu
	wanted atomic.Bool // the next pass takes it: a timeout that may be in it is no longer far
	isLong atomic.Bool // filing the last intake took more than a quarter of the linger: producers file sooner
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

func (q *mpscQueue) init(tick int64) {
	// Three times the time that a timeout may wait in the far lane: once until the lane is taken, once until the
	// timeout is filed, and once for a worker that is late.
	q.far.margin = 3 * (int64(linger) + tick)
	n := 4 * runtime.GOMAXPROCS(0)       // more than producers, which collide in a stripe by chance
	n = min(256, 1<<bits.Len(uint(n-1))) // 256: 32 KiB a lane, and as many loads when an empty lane is taken
	q.makeStripes(n)
}

// makeStripes divides the limits by the number of stripes, eight at most: the timeouts that one goroutine allocates lie
// on one page, and so in one stripe. A single counted push never makes a stripe deep.
func (q *mpscQueue) makeStripes(n int) {
	deep, full := int32(limits.Deep/min(n, 8)), int32(limits.Full/min(n, 8))
	q.near = lane{stripes: make([]stripe, n), wakeAt: deep / 2, fileAt: deep}
	q.far.lane = lane{stripes: make([]stripe, n), wakeAt: full, fileAt: full} // far timeouts can wait
	q.far.hotAt = deep
}

func (q *mpscQueue) lanes() [2]*lane { return [2]*lane{&q.near, &q.far.lane} }

// push adds t, which the caller has marked queued. depth is 0, or, for a counted timeout, about how many wait in its
// stripe. ok is false if the queue is closed.
func (q *mpscQueue) push(t *Timeout, l *lane) (depth int32, ok bool) {
	s := l.stripeOf(t)
	for {
		below := s.head.Load()
		if below == &q.closed {
			return 0, false
		}
		t.link = below
		if s.head.CompareAndSwap(below, t) {
			if isCounted(t) {
				depth = s.depth.Add(counted)
			}
			return depth, true
		}
	}
}

// isHot reports whether t, which was stopped while it was queued, is the newest of a deep stripe: then it and most
// below it are in the processor's cache, and filing them, which drops them, takes little time.
func (l *farLane) isHot(t *Timeout) bool {
	s := l.stripeOf(t)
	return s.head.Load() == t && s.depth.Load() >= l.hotAt
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

// suits reports whether a timeout with a deadline may wait in the far lane. To save a clock read, it takes the time of
// the next run for the current time: see isDue.
func (l *farLane) suits(deadline int64, next alarmWord) bool { return deadline-l.margin >= next.next() }

// isDue reports whether a pass takes the lane. since is the time that callers have taken for the current one: that of
// the run, or of the next if a caller has set it; before New on a ManualClock, which sets no runs.
func (l *farLane) isDue(now, since int64) bool {
	if !l.wanted.Swap(false) && now < l.at && now-since < 2*linger {
		return false
	}
	l.at = now + linger
	return true
}

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
