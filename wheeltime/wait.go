package wheeltime

import (
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// Sleep pauses the calling goroutine for at least d, at most one tick of tm longer; it returns at
// once if d is zero or less. If tm is stopped while Sleep waits, package time counts the rest.
//
// All goroutines that sleep until the same tick share one channel, so all but the first allocate
// nothing. Sleep depends neither on the Executor nor on WithMaxPending.
func Sleep(tm *hashedwheel.Timer, d time.Duration) {
	if tm == nil {
		panic("wheeltime: Sleep with a nil Timer")
	}
	if d <= 0 {
		return
	}
	end := tm.Now().Add(d)
	<-tm.After(d)
	time.Sleep(end.Sub(tm.Now())) // returns at once, unless Timer.Stop has closed the channel
}

// After returns a channel that gets the time once d has passed, at most one tick of tm later; at
// once if d is zero or less. If tm is stopped before that, package time counts the rest. It
// allocates the channel and a Timeout.
//
// After cannot be stopped: its Timeout stays pending until d has passed, even if nobody waits for
// the channel. For a select that usually ends in another way, use NewTimer and Stop, or the After of
// tm, whose channel is shared.
func After(tm *hashedwheel.Timer, d time.Duration) <-chan time.Time {
	if tm == nil {
		panic("wheeltime: After with a nil Timer")
	}
	w := &wait{c: make(chan time.Time, 1)}
	if d <= 0 {
		w.c <- readClock(tm)
		return w.c
	}
	w.at = tm.Now().Add(d)
	w.to.Init(tm, (*waitTask)(w))
	link(tm, w)
	w.to.ResetAt(w.at)
	if w.to.Err() != nil && w.list.unlink(w) {
		w.endInTime(d)
	}
	return w.c
}

// A wait is one call of After. Only the wheel and a list refer to it. Its value must be sent even if
// Timer.Stop cancels its Timeout: the caller that unlinks a wait from its list sends.
type wait struct {
	to         hashedwheel.Timeout
	c          chan time.Time // buffer of one, sent to once
	at         time.Time
	list       *waits
	prev, next *wait // guarded by the lock of list; nil once the wait is unlinked
}

// waitTask is a wait as the task of its Timeout.
type waitTask wait

// TaskName is the name under which the wait is shown.
func (*waitTask) TaskName() string { return "wheeltime.After" }

// String keeps fmt from reading fields that other calls write.
func (task *waitTask) String() string { return task.TaskName() }

// Run ends the wait, unless it is over.
func (task *waitTask) Run(to *hashedwheel.Timeout) {
	w := (*wait)(task)
	if w.list.unlink(w) {
		w.c <- readClock(to.Timer())
	}
}

// endInTime makes package time end a wait that has been unlinked.
func (w *wait) endInTime(d time.Duration) {
	if d <= 0 {
		w.c <- readClock(w.to.Timer())
		return
	}
	time.AfterFunc(d, func() { w.c <- readClock(w.to.Timer()) })
}

// waits is the list of one Timer's waits. While it is not empty, one goroutine watches the Timer.
type waits struct {
	tm *hashedwheel.Timer

	mu     sync.Mutex // guards all fields below; not held while a Timeout is armed or a clock is called
	ring   wait       // sentinel of the list: ring.next is the oldest
	latest time.Time  // no wait of the list is due later
	begun  bool       // the goroutine has been started
	ended  bool       // a new wait needs a new list
}

// lists has the list of each Timer that has waits, because a Timer has no place for a list. A list
// is there only while one of its waits is pending.
var lists sync.Map // from *hashedwheel.Timer to *waits

// link puts w on the list of tm.
func link(tm *hashedwheel.Timer, w *wait) {
	for {
		l, ok := lists.Load(tm)
		if !ok {
			fresh := &waits{tm: tm}
			fresh.ring.prev, fresh.ring.next = &fresh.ring, &fresh.ring
			l, _ = lists.LoadOrStore(tm, fresh)
		}
		if l.(*waits).link(w) {
			return
		}
	}
}

// link reports false if the list has ended.
func (l *waits) link(w *wait) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return false
	}
	w.list = l
	last := l.ring.prev
	w.prev, w.next = last, &l.ring
	last.next, l.ring.prev = w, w
	if w.at.After(l.latest) {
		l.latest = w.at
	}
	if !l.begun {
		l.begun = true
		time.AfterFunc(0, l.watch) // by package time: it inherits no labels from the caller
	}
	return true
}

// unlink reports whether this call did: then the caller sends.
func (l *waits) unlink(w *wait) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.unlinkLocked(w)
}

func (l *waits) unlinkLocked(w *wait) bool {
	if w.next == nil {
		return false
	}
	w.prev.next, w.next.prev = w.next, w.prev
	w.prev, w.next = nil, nil
	return true
}

// watch sleeps until the latest wait is due, and ends when there is none. Only Timer.Stop wakes it
// earlier, by closing the channel of Timer.After: then all waits are canceled, and package time ends
// them. watch also ends waits whose task the Executor has lost, once no later wait is left.
func (l *waits) watch() {
	for latest, ok := l.lookAhead(); ok; latest, ok = l.lookAhead() {
		if now := l.tm.Now(); now.Before(latest) {
			<-l.tm.After(latest.Sub(now))
		}
		now := l.tm.Now()
		stopped := now.Before(latest)
		for some := l.takeSome(now, stopped); len(some) > 0; some = l.takeSome(now, stopped) {
			for _, w := range some {
				w.endInTime(w.at.Sub(now))
			}
		}
	}
}

// lookAhead returns when the latest wait is due. If there is none the list has ended.
func (l *waits) lookAhead() (latest time.Time, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ring.next == &l.ring {
		l.ended = true
		lists.CompareAndDelete(l.tm, l)
	}
	return l.latest, !l.ended
}

// takeSome unlinks a portion of all waits, or none if a wait is due later than now and the Timer has
// not been stopped.
func (l *waits) takeSome(now time.Time, stopped bool) (some []*wait) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.latest.After(now) && !stopped {
		return nil
	}
	for len(some) < portion && l.ring.next != &l.ring {
		w := l.ring.next
		l.unlinkLocked(w)
		some = append(some, w)
	}
	return some
}

const portion = 256 // waits unlinked in one hold of the lock: tens of microseconds
