package chaos

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// delay returns delays of every kind: past, now, a few ticks, days, never.
func (l *life) delay() time.Duration {
	switch rand.IntN(16) {
	case 0:
		return -time.Duration(rand.Int64N(int64(time.Hour)))
	case 1:
		return 0
	case 2:
		return time.Duration(rand.IntN(400)) * 24 * time.Hour
	case 3:
		return 1<<63 - 1
	case 4:
		return time.Duration(rand.IntN(10_000)) * l.tick
	}
	return time.Duration(rand.Int64N(int64(20 * l.tick)))
}

// task does the work of every task, after it has booked its run.
func (l *life) task(a *account, deadline time.Time) {
	l.tasks.Add(1)
	defer l.tasks.Add(-1)
	a.ran.Add(1)
	l.ran.Add(1)
	if !l.hasShown(deadline) {
		l.early.Add(1)
	}
	if l.stopNext.CompareAndSwap(true, false) {
		time.Sleep(time.Duration(rand.IntN(500)) * time.Microsecond) // others move timeouts of its batch ...
		l.look()                                                     // ... and that is filed again
		l.collect(l.tm.StopAll)
	}
	switch n := rand.IntN(300); {
	case l.quit.Load():
	case n < 4:
		time.Sleep(time.Duration(rand.IntN(1000)) * time.Microsecond)
	case n < 10:
		panic(mishap{"task"})
	case n < 16:
		runtime.Goexit()
	case n < 18:
		defer time.Sleep(time.Millisecond)
		runtime.Goexit()
	case n < 40:
		l.armNew()
	case n < 60:
		l.stopAny()
	case n < 64:
		l.look()
	case n < 66 && l.manual != nil:
		l.manual.Advance(l.delayToAdvance())
	}
}

// keep opens the account.
func (l *life) keep(a *account) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accounts = append(l.accounts, a)
}

// armNew arms a new timeout that no member moves.
func (l *life) armNew() {
	d := l.delay()
	at := l.tm.Now().Add(d)
	if at.After(l.never) {
		at = l.never
	}
	a := new(account)
	task := hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) { l.task(a, to.Deadline()) })
	switch rand.IntN(4) {
	case 0:
		a.to = l.tm.AfterFunc(d, func() { l.task(a, at) })
		a.note(false)
	case 1:
		if a.to, _ = l.schedule(d, task); a.to != nil {
			a.note(false)
		}
	case 2:
		a.to = a.own.Init(l.tm, task)
		a.note(a.to.Reset(d))
	default:
		a.to = a.own.Init(l.tm, task)
		l.armIdle(a, d)
	}
	if a.to != nil {
		l.keep(a)
	}
}

// schedule counts refusals.
func (l *life) schedule(d time.Duration, task hashedwheel.Task) (*hashedwheel.Timeout, error) {
	to, err := l.tm.Schedule(d, task)
	if err != nil {
		l.refused.Add(1)
	}
	return to, err
}

// open opens n accounts. If they are shared, several members arm their Timeouts, which lie side by side and so wait in
// the same stripe of the queue, which gets deep.
func (l *life) open(n int, shared bool) []*account {
	all, page := make([]*account, n), make([]hashedwheel.Timeout, n)
	for i := range all {
		a := &account{shared: shared}
		a.to = &a.own
		if shared {
			a.to = &page[i]
		}
		a.to.Init(l.tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
			deadline := to.Deadline()
			if to.State() != hashedwheel.Expired || !to.Deadline().Equal(deadline) {
				deadline = time.Time{} // armed again since
			}
			l.task(a, deadline)
		}))
		l.keep(a)
		all[i] = a
	}
	return all
}

// zombieMaker arms Timeouts for a far time and stops them, one after another.
func (l *life) zombieMaker(all []*account) func() {
	return func() {
		for _, a := range all {
			a.note(a.to.Reset(time.Hour))
			l.stop(a)
		}
	}
}

// mover moves, stops and arms again any of the Timeouts, while others stop them.
func (l *life) mover(all []*account) func() {
	return func() {
		a := all[rand.IntN(len(all))]
		if rand.IntN(5) == 0 {
			l.stop(a)
			l.check(a.shared || a.to.State() != hashedwheel.Pending)
			return
		}
		d, n := l.delay(), rand.IntN(5)
		at := l.tm.Now().Add(d)
		isExact := d > 0 && at.Before(l.never)
		switch {
		case n == 0:
			a.to.Move(d) // begins no arming
		case n == 1 && isExact:
			moved := a.to.MoveAt(at)
			l.check(a.shared || !moved || a.to.Deadline().Equal(at))
		case n == 2 && isExact:
			a.note(a.to.ResetAt(at))
			l.check(a.shared || a.to.Deadline().Equal(at))
		case n == 3 && !a.shared && a.to.State() != hashedwheel.Pending:
			l.armIdle(a, d)
		default:
			a.note(a.to.Reset(d))
		}
	}
}

// armIdle calls Arm, which does not report whether the Timeout was pending, for a Timeout that is not, and that no
// other member arms.
func (l *life) armIdle(a *account, d time.Duration) {
	err := a.to.Arm(d)
	a.note(false)
	l.check(err == nil || a.to.State() == hashedwheel.Rejected && a.to.Err() == err)
}

// check books a result that is not right.
func (l *life) check(isRight bool) {
	if !isRight {
		l.wrong.Add(1)
	}
}

func (l *life) stop(a *account) {
	if a.to != nil && a.to.Stop() {
		a.stopped.Add(1)
	}
}

// stopAny stops one of the latest timeouts, or any timeout of a mover.
func (l *life) stopAny() {
	l.mu.Lock()
	var a *account
	if n := len(l.accounts); n > 0 {
		a = l.accounts[rand.IntN(n)]
		if rand.IntN(2) == 0 {
			a = l.accounts[n-1-rand.IntN(min(n, 30))]
		}
	}
	l.mu.Unlock()
	if a != nil {
		l.stop(a)
	}
}

// look calls all methods that drain in the worker's place.
func (l *life) look() {
	switch rand.IntN(5) {
	case 0:
		l.tm.Pending()
	case 1:
		l.tm.NextDue()
	case 2:
		for _, to := range l.tm.Sample(5) {
			_ = fmt.Sprint(to)
		}
	case 3:
		_ = l.tm.String()
	default:
		l.tm.Stats()
	}
}

func (l *life) delayToAdvance() time.Duration {
	if rand.IntN(100) == 0 {
		return time.Duration(rand.Int64N(int64(200 * 24 * time.Hour)))
	}
	return time.Duration(rand.Int64N(int64(3 * l.tick)))
}

// waiter waits for channels of After: each is closed, and none early unless the timer stops.
func (l *life) waiter() func() {
	return func() {
		d := time.Duration(rand.Int64N(int64(10 * l.tick)))
		at := l.tm.Now().Add(d)
		if at.After(l.never) {
			return // the clock has advanced to its end, where a channel waits for Timer.StopAll
		}
		done := l.tm.After(d)
		<-done
		if !l.stopping.Load() && !l.hasShown(at) {
			l.early.Add(1)
		}
	}
}
