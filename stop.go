package hashedwheel

import "context"

// Stop ends the timer: every arming is refused from then on, and only tasks that had
// expired by then still start. It returns all timeouts that were pending, now Cancelled,
// in no order, but not After's, whose channels it closes. A second Stop returns nothing.
//
// Stop visits all that is pending, some 0.2 s for each million, and does not wait for tasks:
// see Shutdown.
func (tm *Timer) Stop() []*Timeout {
	left, _ := tm.stop(context.Background())
	return left
}

// Shutdown is Stop, then waits until the worker and all tasks with the executor have
// returned, or ctx is done. It returns what Stop returns, and ctx's error if it did not
// wait to the end. In a task it waits for that very task: give it a ctx that ends.
//
// A ctx that is done while Shutdown still collects what is pending ends that, too: the
// rest never runs, and the next Stop or Shutdown returns it.
func (tm *Timer) Shutdown(ctx context.Context) ([]*Timeout, error) {
	left, err := tm.stop(ctx)
	if err != nil {
		return left, err
	}
	select {
	case <-tm.out.done: // also if ctx is done
		return left, nil
	default:
	}
	select {
	case <-tm.out.done:
		return left, nil
	case <-ctx.Done():
		return left, ctx.Err()
	}
}

// stop collects portion by portion. Every 10 ms or so it looks at ctx.
func (tm *Timer) stop(ctx context.Context) (left []*Timeout, err error) {
	tm.after.stop()
	for n, more := 1, true; more; n++ {
		var ended int
		left, ended, more = tm.guarded.collect(left)
		tm.room.release(ended)
		tm.ending.Do(tm.end)
		if more && n%portion == 0 && ctx.Err() != nil {
			return left, ctx.Err()
		}
	}
	return left, nil
}

// end follows the first portion, which has closed the queue.
func (tm *Timer) end() {
	tm.parked.Store(awake) // for ever: nobody starts a worker again
	close(tm.quit)
	if c, ok := tm.clock.(*ManualClock); ok {
		c.detach(&tm.worker)
	}
	tm.out.Leave()
	tm.after.releaseAll()
}
