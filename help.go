package hashedwheel

import "sync"

// help is what the producers of a deep stripe do, since one worker cannot keep up with many of them: they drop their
// stopped timeouts, file some of the others, and wait for their turn to do so if too many timeouts wait.
type help struct {
	queue   *mpscQueue // this and the next are read only once New has returned
	guarded *guarded

	// A producer holds it while it waits for the lock, and so does the worker if an Inline task arms. So others wait
	// for the lock behind one producer, not behind all.
	turnstile sync.Mutex
}

// reduce makes the stripe s shallower, in the goroutine of a producer.
func (h *help) reduce(s *stripe, how pushed) {
	if how == littered && h.queue.comb(s) {
		return
	}
	h.turnstile.Lock()
	defer h.turnstile.Unlock()
	if s.depth.Load() >= h.queue.deep { // otherwise the last who had the turn has filed it
		h.guarded.fileStripe(s)
	}
}
