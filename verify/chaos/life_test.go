package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// life is one timer, its members, which are goroutines that use it, and its books.
type life struct {
	says   string // how it is configured
	tm     *hashedwheel.Timer
	tick   time.Duration
	bound  int                      // WithMaxPending
	dries  bool                     // it runs dry before its end
	wild   *wildClock               // nil on another clock
	manual *hashedwheel.ManualClock // nil on another clock
	pool   *wildExecutor            // nil on another executor

	mu       sync.Mutex
	accounts []*account             // guarded by mu
	left     []*hashedwheel.Timeout // guarded by mu; what Stop and Shutdown returned
	series   []*hashedwheel.Series  // guarded by mu; if the life dries

	stopping atomic.Bool // Stop or Shutdown may have been called
	stopNext atomic.Bool // the next task is to call Stop
	quit     atomic.Bool
	members  sync.WaitGroup

	tasks, ran, early, afterStop, panics atomic.Int64 // tasks: those that run now
}

const aCentury = 100 * 365 * 24 * time.Hour

func newLife() *life {
	l := &life{tick: []time.Duration{100 * time.Microsecond, 250 * time.Microsecond, time.Millisecond}[rand.IntN(3)]}
	opts, executor, pool := executor()
	l.pool = pool
	clock := []string{"the system's clock", "a ManualClock", "a wild clock", "a wild clock"}[rand.IntN(4)]
	start := time.Now()
	switch clock {
	case "a ManualClock":
		l.manual = hashedwheel.NewManualClock(start)
		opts = append(opts, hashedwheel.WithClock(l.manual))
	case "a wild clock":
		l.wild = new(wildClock)
		opts = append(opts, hashedwheel.WithClock(l.wild))
	}
	l.dries = l.wild == nil && l.manual == nil && rand.IntN(2) == 0
	size := []int{1, 2, 8, 512}[rand.IntN(4)]
	l.bound = []int{0, 0, 3, 20, 200}[rand.IntN(5)]
	opts = append(opts, hashedwheel.WithTick(l.tick), hashedwheel.WithWheelSize(size),
		hashedwheel.WithMaxPending(l.bound), hashedwheel.WithPanicHandler(l.handle))
	l.says = fmt.Sprintf("GOMAXPROCS %d, tick %v, %d buckets, at most %d pending, %s, executor %s",
		runtime.GOMAXPROCS(0), l.tick, size, l.bound, clock, executor)
	for l.tm == nil {
		l.survive(func() { l.tm = hashedwheel.MustNew(opts...) })
	}
	return l
}

func (l *life) dropped() int64 {
	if l.pool == nil {
		return 0
	}
	return l.pool.dropped.Load()
}

// survive calls f in a goroutine that may end, and recovers mishaps.
func (l *life) survive(f func()) {
	done := make(chan struct{})
	go l.member(func() {
		defer close(done)
		f()
	})
	<-done
}

// member calls f and recovers mishaps: the clock looks for it on the stack.
func (l *life) member(f func()) {
	defer func() {
		if p := recover(); p != nil {
			if _, is := p.(mishap); !is {
				panic(fmt.Sprintf("%v\n%s", p, debug.Stack()))
			}
		}
	}()
	f()
}

// join has a member call f again and again until quit, in another goroutine whenever one has ended.
func (l *life) join(f func()) {
	l.members.Go(func() {
		for !l.quit.Load() {
			l.survive(func() {
				for i := 1; !l.quit.Load(); i++ {
					f()
					if i%16 == 0 {
						time.Sleep(time.Duration(rand.IntN(200)) * time.Microsecond)
					}
				}
			})
		}
	})
}

// handle is the panic handler. Its own panic needs an executor that recovers it.
func (l *life) handle(_ *hashedwheel.Timeout, recovered any) {
	l.panics.Add(1)
	m, is := recovered.(mishap)
	if !is {
		panic(recovered) // a bug: it ends the program
	}
	switch n := rand.IntN(16); {
	case n == 0:
		runtime.Goexit()
	case n == 1 && l.pool != nil && m.of == "task":
		panic(mishap{"panic handler"})
	}
}

func (l *life) now() time.Time {
	if l.manual != nil {
		return l.manual.Now()
	}
	return time.Now()
}

// hasShown reports whether the clock has shown a time.
func (l *life) hasShown(at time.Time) bool {
	if l.wild != nil {
		return l.wild.hasShown(at)
	}
	return !l.now().Before(at)
}

// delay is of every kind: past, now, some ticks, days, never.
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

// task is what all tasks do, after they have booked their run.
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
		l.collect(l.tm.Stop)
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
	case n < 70 && l.wild != nil:
		l.wild.set(leap())
	case n < 72 && l.manual != nil:
		l.manual.Advance(l.delayToAdvance())
	}
}

// keep opens the account.
func (l *life) keep(a *account) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accounts = append(l.accounts, a)
}

// armNew arms a new timeout, which nobody moves.
func (l *life) armNew() {
	a := new(account)
	armed := false
	defer func() {
		if !armed {
			a.unsure.Add(1)
		}
		if a.to != nil || !armed {
			l.keep(a)
		}
	}()
	d := l.delay()
	task := hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) { l.task(a, to.Deadline()) })
	switch rand.IntN(3) {
	case 0:
		a.to = l.tm.AfterFunc(d, func() { l.task(a, time.Time{}) })
	case 1:
		if a.to, _ = l.tm.Schedule(d, task); a.to == nil {
			armed = true // refused
			return
		}
	default:
		a.to = &a.own
		a.to.Init(l.tm, task)
		a.note(a.to.Reset(d))
		armed = true
		return
	}
	a.note(false)
	armed = true
}

// mover moves, stops and arms again the Timeouts that are its own, while others stop them.
func (l *life) mover() func() {
	all := make([]*account, 40)
	for i := range all {
		a := new(account)
		a.to = &a.own
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
	return func() {
		a := all[rand.IntN(len(all))]
		if rand.IntN(5) == 0 {
			l.stop(a)
			return
		}
		done := false
		defer func() {
			if !done {
				a.unsure.Add(1)
			}
		}()
		d, n := l.delay(), rand.IntN(4)
		switch {
		case n == 0:
			a.to.Move(d) // begins no arming
		case n == 1 && d <= aCentury:
			a.to.MoveAt(l.tm.Now().Add(d))
		case n == 2 && d <= aCentury:
			a.note(a.to.ResetAt(l.tm.Now().Add(d)))
		default:
			a.note(a.to.Reset(d))
		}
		done = true
	}
}

func (l *life) stop(a *account) {
	if a.to != nil && a.to.Stop() {
		a.stopped.Add(1)
	}
}

// stopAny stops one of the latest, or any of a mover's.
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

// look calls everything that drains in the worker's place.
func (l *life) look() {
	switch rand.IntN(5) {
	case 0:
		l.tm.Pending()
	case 1:
		l.tm.Next()
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

// assemble has the members begin.
func (l *life) assemble() {
	l.join(l.armNew)
	l.join(l.armNew)
	l.join(l.stopAny)
	l.join(l.look)
	for range 3 {
		l.join(l.mover())
	}
	if rand.IntN(2) == 0 {
		l.join(l.seriesUser())
		l.join(l.waiter())
	}
	if l.manual != nil {
		for range 2 {
			l.join(func() { l.manual.Advance(l.delayToAdvance()) })
		}
	}
}

// collect stops the timer and keeps the result.
func (l *life) collect(stop func() []*hashedwheel.Timeout) {
	l.stopping.Store(true)
	if l.wild != nil {
		l.wild.isTame.Store(true) // a Stop that ends half way has no result
	}
	left := stop()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.left = append(l.left, left...)
}

// end stops the timer from one or two goroutines, or from the next task.
func (l *life) end() {
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	ways := []func(){
		func() { l.collect(l.tm.Stop) },
		func() { l.collect(func() []*hashedwheel.Timeout { left, _ := l.tm.Shutdown(ended); return left }) },
		func() {
			l.stopNext.Store(true)
			time.Sleep(2 * time.Millisecond)
		},
	}
	var stoppers sync.WaitGroup
	for range 1 + rand.IntN(2) {
		stoppers.Go(ways[rand.IntN(len(ways))])
	}
	stoppers.Wait()
	time.Sleep(time.Duration(rand.IntN(500)) * time.Microsecond) // some more armings
	l.collect(l.tm.Stop)
}

// lead has the life go on for a while, ends it and closes its books.
func (l *life) lead(t *testing.T) {
	quitClock := make(chan struct{})
	var clock sync.WaitGroup
	if l.wild != nil {
		clock.Go(func() { l.wild.drive(quitClock) })
	}
	l.assemble()
	time.Sleep(time.Duration(rand.IntN(30_000)) * time.Microsecond)
	if l.dries {
		l.runDry(t)
	}
	timertest.Returns(t, l.end)
	l.quit.Store(true)
	timertest.Returns(t, l.members.Wait)
	timertest.Returns(t, func() { assert.Empty(t, timertest.Shutdown(t, l.tm)) })
	if l.pool != nil {
		l.pool.running.Wait()
	}
	close(quitClock)
	clock.Wait()
	l.balance(t)
}
