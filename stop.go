package hashedwheel

import "context"

// Stop ends the timer: no task starts after it returns, but for those that had
// expired by then, and every arming from then on is refused. It returns all
// timeouts that were pending, now Cancelled, in no order, but not After's, whose
// channels it closes; what is not in there has expired, or was stopped or refused.
// A second Stop returns nothing.
//
// Stop may be called from a task. It does not wait for tasks: see Shutdown.
func (t *Timer) Stop() []*Timeout {
	if c, ok := t.clock.(*ManualClock); ok {
		c.detach(t)
	}
	left, isFirst := t.stop()
	if isFirst {
		t.after.stop()
	}
	return left
}

func (t *Timer) stop() (left []*Timeout, isFirst bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return nil, false
	}
	t.stopped = true
	left = t.collect()
	t.parked.Store(awake) // for ever: nobody starts a worker again
	close(t.quit)
	t.finish()
	return left, true
}

// Shutdown is Stop, then waits until the worker and all tasks with the executor
// have returned, or ctx is done. It returns what Stop returns, and ctx's error
// if it did not wait to the end. Several goroutines may wait.
//
// In a task, Shutdown waits for that very task: give it a ctx that ends.
func (t *Timer) Shutdown(ctx context.Context) ([]*Timeout, error) {
	left := t.Stop()
	select {
	case <-t.done:
		return left, nil
	default:
	}
	select {
	case <-t.done:
		return left, nil
	case <-ctx.Done():
		return left, ctx.Err()
	}
}

// collect closes the queue and takes every timeout out of the timer's hands. It
// returns those that this call cancelled: against tasks that are being handed
// out and against Timeout.Stop, each timeout's word decides. The caller holds mu.
func (t *Timer) collect() (left []*Timeout) {
	settle := func(to *Timeout) {
		if to.cancel() {
			t.release()
			if _, ok := to.task.(*sharedTick); !ok { // After's are the timer's own
				left = append(left, to)
			}
		}
		if to.State() == Cancelled {
			t.cancelled++
		}
	}
	unqueue := func(to *Timeout) {
		to.unqueue()
		if to.home == inBatch {
			return // settled with the batch, once: a Reset may come between
		}
		if to.home != unfiled {
			t.wheel.remove(to)
		}
		settle(to)
	}
	t.queue.close(unqueue)
	for _, list := range []*Timeout{t.backlog, t.held} {
		forEach(list, unqueue)
	}
	t.backlog, t.held = nil, nil
	t.wheel.clear(settle)
	for t.due.head != nil {
		to := t.due.head
		t.wheel.remove(to)
		settle(to)
	}
	for _, to := range t.batch.Load().inUse() {
		settle(to)
	}
	return left
}

// leave is called when a goroutine that counts as running, or a task with the
// executor, ends.
func (t *Timer) leave() {
	if t.running.Add(-1) == 0 {
		t.mu.Lock()
		t.finish()
		t.mu.Unlock()
	}
}

// finish lets Shutdown go once nothing runs and nothing can start to. The
// caller holds mu.
func (t *Timer) finish() {
	if t.stopped && t.running.Load() == 0 && !t.isDone {
		t.isDone = true
		close(t.done)
	}
}
