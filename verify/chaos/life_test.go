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
	never  time.Time                // later deadlines are cut
	bound  int                      // WithMaxPending
	dries  bool                     // it runs dry before its end
	waits  bool                     // members wait for channels of After
	manual *hashedwheel.ManualClock // nil on the system's clock
	pool   *wildExecutor            // nil on another executor

	shared []*account // several members arm these

	mu       sync.Mutex
	accounts []*account             // guarded by mu
	left     []*hashedwheel.Timeout // guarded by mu; the results of Stop and Shutdown

	stopping atomic.Bool // Stop or Shutdown may have been called
	stopNext atomic.Bool // the next task must call Stop
	quit     atomic.Bool
	members  sync.WaitGroup

	// tasks: those that run now; refused: by Schedule; wrong: results that no order of the calls explains
	tasks, ran, refused, early, wrong, panics atomic.Int64
}

func newLife() *life {
	l := &life{tick: []time.Duration{100 * time.Microsecond, 250 * time.Microsecond, time.Millisecond}[rand.IntN(3)]}
	opts, executor, pool := executor()
	l.pool = pool
	clock, start := "the system's clock", time.Now()
	l.never = start.AddDate(9, 0, 0)
	if rand.IntN(3) == 0 {
		clock, l.manual = "a ManualClock", hashedwheel.NewManualClock(start)
		opts = append(opts, hashedwheel.WithClock(l.manual))
	}
	l.dries = l.manual == nil && rand.IntN(2) == 0
	l.waits = rand.IntN(2) == 0
	size := []int{1, 2, 8, 512}[rand.IntN(4)]
	l.bound = []int{0, 0, 3, 20, 200}[rand.IntN(5)]
	opts = append(opts, hashedwheel.WithTick(l.tick), hashedwheel.WithWheelSize(size),
		hashedwheel.WithMaxPending(l.bound), hashedwheel.WithPanicHandler(l.handle))
	l.says = fmt.Sprintf("GOMAXPROCS %d, tick %v, %d buckets, at most %d pending, %s, executor %s",
		runtime.GOMAXPROCS(0), l.tick, size, l.bound, clock, executor)
	l.tm = hashedwheel.MustNew(opts...)
	return l
}

func (l *life) dropped() int64 {
	if l.pool == nil {
		return 0
	}
	return l.pool.dropped.Load()
}

// survive calls f in a separate goroutine, which tasks in Advance may end, and recovers mishaps.
func (l *life) survive(f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer func() {
			if p := recover(); p != nil {
				if _, is := p.(mishap); !is {
					panic(fmt.Sprintf("%v\n%s", p, debug.Stack()))
				}
			}
		}()
		f()
	}()
	<-done
}

// join makes a member call f repeatedly until quit, in a new goroutine whenever one has ended.
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

// hasShown reports whether the clock has shown a time.
func (l *life) hasShown(at time.Time) bool {
	return !l.tm.Now().Before(at)
}

// assemble starts the members.
func (l *life) assemble() {
	l.join(l.armNew)
	l.join(l.armNew)
	l.join(l.stopAny)
	l.join(l.look)
	for range 3 {
		l.join(l.mover(l.open(40, false)))
	}
	l.shared = l.open(60, true)
	for range 2 {
		l.join(l.mover(l.shared))
		l.join(l.zombieMaker(l.shared))
	}
	if l.waits {
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
		func() { l.collect(l.tm.StopAll) },
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
	l.collect(l.tm.StopAll)
}

// armTooLate has two goroutines arm the same Timeouts of a stopped timer at the same time.
func (l *life) armTooLate() {
	var arrived atomic.Int64
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			for i, a := range l.shared {
				for arrived.Add(1); arrived.Load() < int64(2*(i+1)); {
					runtime.Gosched()
				}
				a.note(a.to.Reset(time.Hour))
			}
		})
	}
	both.Wait()
}

// lead lets the life run for a while, ends it, and closes its books.
func (l *life) lead(t *testing.T) {
	l.assemble()
	time.Sleep(time.Duration(rand.IntN(30_000)) * time.Microsecond)
	if l.dries {
		l.runDry(t)
	}
	returns(t, l.end)
	l.quit.Store(true)
	returns(t, l.members.Wait)
	returns(t, l.armTooLate)
	returns(t, func() { assert.Empty(t, timertest.Shutdown(t, l.tm)) })
	if l.pool != nil {
		l.pool.running.Wait()
	}
	l.balance(t)
}
