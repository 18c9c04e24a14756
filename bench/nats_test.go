package bench

import (
	"math"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server/thw"
)

// natsTimer drives a HashWheel like NATS' file store: it sleeps until the next
// expiration, rounded up to a tick, and then collects the expired timeouts.
type natsTimer struct {
	mu      sync.Mutex
	tick    time.Duration
	wheel   *thw.HashWheel
	armed   []*natsOwned // by number; guarded by mu
	free    []uint64     // numbers not in use; guarded by mu
	waker   *time.Timer  // guarded by mu
	planned int64        // when waker is due, in ns since 1970; guarded by mu
}

func openNATS(tick time.Duration) Timer {
	t := &natsTimer{tick: tick, wheel: thw.NewHashWheel(), planned: math.MaxInt64}
	t.waker = time.AfterFunc(math.MaxInt64, t.expire)
	return t
}

func (t *natsTimer) AfterFunc(d time.Duration, f func()) Armed {
	o := &natsOwned{timer: t, f: f}
	o.Reset(d)
	return o
}

func (t *natsTimer) New(f func()) Owned { return &natsOwned{timer: t, f: f} }

func (t *natsTimer) Close() { t.waker.Stop() }

// expire runs the due functions, outside the lock.
func (t *natsTimer) expire() {
	var due []*natsOwned
	t.mu.Lock()
	t.wheel.ExpireTasks(func(seq uint64, _ int64) bool {
		due = append(due, t.armed[seq])
		t.release(seq)
		return true
	})
	t.planned = math.MaxInt64
	if next := t.wheel.GetNextExpiration(math.MaxInt64); next < math.MaxInt64 {
		t.plan(next)
	}
	t.mu.Unlock()
	for _, a := range due {
		a.f()
	}
}

// plan sets the alarm for an expiration. The caller holds mu.
func (t *natsTimer) plan(expires int64) {
	if expires >= t.planned {
		return
	}
	tick := int64(t.tick)
	t.planned = (expires + tick - 1) / tick * tick
	t.waker.Reset(time.Duration(max(0, t.planned-time.Now().UnixNano())))
}

func (t *natsTimer) reserve(a *natsOwned) {
	n := len(t.free)
	if n == 0 {
		a.seq = uint64(len(t.armed))
		t.armed = append(t.armed, a)
		return
	}
	a.seq = t.free[n-1]
	t.free = t.free[:n-1]
	t.armed[a.seq] = a
}

func (t *natsTimer) release(seq uint64) {
	t.armed[seq].expires = 0
	t.armed[seq] = nil
	t.free = append(t.free, seq)
}

type natsOwned struct {
	timer   *natsTimer
	f       func()
	seq     uint64 // its number while it is pending; guarded by timer.mu
	expires int64  // 0 while it is not pending; guarded by timer.mu
}

func (a *natsOwned) Reset(d time.Duration) bool {
	expires := time.Now().Add(d).UnixNano()
	t := a.timer
	t.mu.Lock()
	defer t.mu.Unlock()
	was := a.expires != 0
	if was {
		_ = t.wheel.Update(a.seq, a.expires, expires)
	} else {
		t.reserve(a)
		_ = t.wheel.Add(a.seq, expires)
	}
	a.expires = expires
	t.plan(expires)
	return was
}

func (a *natsOwned) Stop() bool {
	t := a.timer
	t.mu.Lock()
	defer t.mu.Unlock()
	if a.expires == 0 || t.wheel.Remove(a.seq, a.expires) != nil {
		return false
	}
	t.release(a.seq)
	return true
}
