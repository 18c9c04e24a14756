package hashedwheel

import "sync"

// help is what the producers of a deep stripe do, since one worker cannot keep up with many of them: they drop their
// stopped timeouts, file some of the others, and wait for their turn to do so if too many timeouts wait.
type help struct {
	time    *timeline // this and the next two are read only once New has returned
	queue   *mpscQueue
	guarded *guarded

	// Of producers that wait for the lock, among them the worker if an Inline task arms. So others wait for the lock
	// behind one producer, not behind all.
	turnstile sync.Mutex
}

// reduce makes the stripe s shallower, in the goroutine of a producer.
func (h *help) reduce(s *stripe, how pushed) {
	if how == littered && h.queue.comb(s) {
		return
	}
	if s.depth.Load() < h.queue.flooded {
		h.guarded.tryFileStripe(s, h.tick())
		return
	}
	h.turnstile.Lock()
	defer h.turnstile.Unlock()
	if s.depth.Load() >= h.queue.flooded { // otherwise the last who had the turn has filed it
		h.guarded.fileStripe(s, h.tick())
	}
}

// tick returns the current tick, or longAgo on a user's clock: the caller of Stop may hold a lock that the clock takes.
func (h *help) tick() int64 {
	if h.time.isUsers {
		return longAgo
	}
	return h.time.tickAt(h.time.read())
}

// longAgo is a tick to which nobody can turn the wheel.
const longAgo = -1 << 62
