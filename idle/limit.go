package idle

import (
	"errors"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A limit is the idle time of one connection, and the timeout that ends it: what a
// Watcher and a Conn have in common. If there is a kernel that counts, the timeout is
// left alone until it expires, and then the kernel is asked. Else it is moved by all
// that reads and writes.
//
//	none ◀──▶ an idle time ──▶ reached   nothing was said for as long: idle is called
//	  └────────────┴──────────▶ ended    by Stop or Close
type limit struct {
	timeout hashedwheel.Timeout
	time    atomic.Int64 // idle time in ns, or one of the states; each change is one CAS
	kernel  *kernel      // nil: no kernel counts
	owner   interface{ idle() }

	mu    sync.Mutex
	spare *time.Timer // stands in while the timer is full; guarded by mu
}

const (
	none    = 0
	ended   = -1
	reached = -2
)

// start binds the limit, and arms it if d is positive.
func (l *limit) start(tm *hashedwheel.Timer, d time.Duration) error {
	l.timeout.Init(tm, l)
	if d = within(d); d == none {
		return nil
	}
	l.time.Store(int64(d))
	l.timeout.Reset(l.full(d))
	return l.timeout.Err()
}

// within returns d as it is kept: nothing negative, nothing that would overflow.
func within(d time.Duration) time.Duration { return max(none, min(d, 1<<62)) }

// full is how long to wait from now, if the idle time begins now.
func (l *limit) full(d time.Duration) time.Duration {
	if l.kernel != nil {
		return d + granularity // sooner the kernel's answer would not be certain
	}
	return d
}

// set changes the idle time, unless it is over. It is counted from now.
func (l *limit) set(d time.Duration) {
	d = within(d)
	if l.change(int64(d)) {
		l.arm(l.full(d), d)
	}
}

// touch begins the idle time anew.
func (l *limit) touch() {
	if d := time.Duration(l.time.Load()); d > none {
		l.arm(l.full(d), d)
	}
}

// end reports whether this call ended it, before the limit was reached.
func (l *limit) end() bool {
	if !l.change(ended) {
		return false
	}
	l.disarm()
	return true
}

func (l *limit) wasReached() bool { return l.time.Load() == reached }

// change reports false if the limit has ended or was reached.
func (l *limit) change(to int64) bool {
	for {
		from := l.time.Load()
		if from < none {
			return false
		}
		if l.time.CompareAndSwap(from, to) {
			return true
		}
	}
}

// arm waits, for as long as the idle time is d. If it is changed meanwhile, this
// Reset may have come after the one that the change made, or after its Stop: that is
// found by the second look, and put right.
func (l *limit) arm(wait, d time.Duration) {
	for d > none {
		if !l.timeout.Reset(wait) && errors.Is(l.timeout.Err(), hashedwheel.ErrFull) {
			l.standIn(d)
		}
		now := time.Duration(l.time.Load())
		if now == d {
			return
		}
		wait, d = l.full(now), now
	}
	l.disarm()
}

func (l *limit) disarm() {
	l.timeout.Stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spare != nil {
		l.spare.Stop()
		l.spare = nil
	}
}

// standIn has the timeout armed again, after an eighth of the idle time, because the
// timer is full: the limit is not lost for that, but may be reached late.
func (l *limit) standIn(d time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.spare == nil {
		l.spare = time.AfterFunc(max(d/8, l.timeout.Timer().Tick()), l.again)
	}
}

func (l *limit) again() {
	l.mu.Lock()
	l.spare = nil
	l.mu.Unlock()
	if l.timeout.State() != hashedwheel.Rejected {
		return // there was room for one who came before
	}
	d := time.Duration(l.time.Load())
	if l.kernel != nil {
		l.arm(0, d) // it has counted on
		return
	}
	l.arm(d, d)
}

// Run is the task of the timeout.
func (l *limit) Run(*hashedwheel.Timeout) {
	for {
		d := time.Duration(l.time.Load())
		if d <= none || l.timeout.State() != hashedwheel.Expired {
			return // it is over, or began anew before we came here
		}
		if l.kernel != nil {
			left, err := l.kernel.left(d)
			if err != nil {
				l.end() // closed
				return
			}
			if left > 0 {
				l.arm(left, d)
				return
			}
		}
		if l.time.CompareAndSwap(int64(d), reached) {
			l.disarm()
			l.owner.idle()
			return
		}
	}
}
