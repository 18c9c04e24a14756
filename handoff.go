package hashedwheel

import "time"

// With Inline a task that does not return holds up the worker, but not for
// longer than it takes to see that: the wheel is handed on. Another goroutine
// becomes the worker, with a batch of its own; the old one finds, when its task
// returns, that its batch is no longer Timer.batch, and ends.
//
// A claim that the old worker was about to make when it was replaced may come
// late. It is decided by the timeout's word like any other; the old worker then
// takes the timeout out of the wheel, to which the hand-over returned it.

// watch looks at the worker twice a tick, in real time whatever the clock, while
// it hands out. All of it is guarded by Timer.mu.
type watch struct {
	timer    *time.Timer // calls look; nil until the first batch
	on       bool        // a batch is being handed out
	expired  uint64      // Timer.expired when it last changed ...
	since    time.Time   // ... and when that was seen
	handoffs uint64

	// aside is how many timeouts go to goroutines after a hand-over, before one
	// is tried inline again: firstAside, four times as many each time that one
	// is slow too, a quarter after a pass without. Ten thousand slow tasks take
	// six hand-overs, one false alarm starts a handful of goroutines.
	aside int
	from  uint64 // Timer.expired at the last hand-over
	out   *batch // of the worker replaced last, until its task returns
}

const (
	firstAside = 8
	maxAside   = 1 << 20

	// A hand-over is a new alarm, which starts at firstAside again, if so many times
	// aside have expired since the last and the task that caused that has returned: on
	// a loaded machine the worker itself is kept waiting now and then.
	calm = 64
)

// begin starts the watch, if it is not on and the tasks run on the worker.
func (w *watch) begin(t *Timer) {
	if w.on || !t.watched {
		return
	}
	w.on = true
	w.expired, w.since = t.expired.Load(), time.Now()
	if w.timer == nil {
		w.timer = time.AfterFunc(t.watchEvery(), t.look)
	} else {
		w.timer.Reset(t.watchEvery())
	}
}

// end stops the watch after a pass that was not handed on.
func (w *watch) end(b *batch) {
	if w.on {
		w.timer.Stop()
	}
	w.on = false
	w.aside /= 4
	b.aside = 0
}

func (t *Timer) watchEvery() time.Duration { return time.Duration((t.tick + 1) / 2) }

// look hands the wheel on if no task has begun for a tick.
func (t *Timer) look() {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := &t.watch
	if !w.on || t.stopped {
		return
	}
	now := time.Now()
	if n := t.expired.Load(); n != w.expired {
		w.expired, w.since = n, now
	}
	if now.Sub(w.since) < time.Duration(t.tick) {
		w.timer.Reset(t.watchEvery())
		return
	}
	t.handOn()
}

// handOn makes another goroutine the worker. The caller holds mu.
func (t *Timer) handOn() {
	w := &t.watch
	n, old := t.expired.Load(), t.batch.Load()
	if w.aside == 0 || n-w.from > uint64(calm*w.aside) && w.out == nil {
		w.aside = firstAside
	} else {
		w.aside = min(4*w.aside, maxAside)
	}
	w.on, w.from, w.out = false, n, old
	w.handoffs++
	b := &batch{aside: w.aside}
	t.batch.Store(b)
	for i, to := range old.inUse() {
		if to.home = unfiled; isWaiting(to) {
			t.wheel.putBack(to, &t.due)
		}
		old.forget(i)
	}
	t.releaseHeld()
	t.running.Add(1)
	go t.work(b, false)
}

// back is called when a worker ends that was replaced.
func (t *Timer) back(b *batch) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.watch.out == b {
		t.watch.out = nil
	}
}

// takeOut takes a timeout out of the wheel that a replaced worker has claimed.
func (t *Timer) takeOut(to *Timeout) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if to.home != unfiled && to.home != inBatch && to.State() == Expired {
		t.wheel.remove(to)
	}
}
