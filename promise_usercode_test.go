package hashedwheel_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// everyMethod calls one method of the library each.
var everyMethod = map[string]func(to *hashedwheel.Timeout){
	"AfterFunc": func(to *hashedwheel.Timeout) { to.Timer().AfterFunc(0, nop) },
	"Schedule":  func(to *hashedwheel.Timeout) { _, _ = to.Timer().Schedule(0, nopTask) },
	"Pending":   func(to *hashedwheel.Timeout) { to.Timer().Pending() },
	"Stats":     func(to *hashedwheel.Timeout) { to.Timer().Stats() },
	"Timer.Stop": func(to *hashedwheel.Timeout) {
		to.Timer().Stop()
		to.Timer().Stop()
	},
	"Shutdown": func(to *hashedwheel.Timeout) {
		ended, end := context.WithCancel(context.Background())
		end()
		_, _ = to.Timer().Shutdown(ended)
	},
	"Init":         func(to *hashedwheel.Timeout) { owned(to.Timer(), nopTask) },
	"Reset":        func(to *hashedwheel.Timeout) { to.Reset(time.Hour) },
	"ResetAt":      func(to *hashedwheel.Timeout) { to.ResetAt(time.Time{}.Add(time.Hour)); to.Stop() },
	"Timeout.Stop": func(to *hashedwheel.Timeout) { to.Stop() },
	"the rest":     func(to *hashedwheel.Timeout) { _, _, _ = to.State(), to.Deadline(), to.Task() },
}

var everyExecutor = map[string]hashedwheel.Executor{
	"goroutines": new(sync.WaitGroup),
	"Inline":     hashedwheel.Inline{},
	"inline of the user's own": hashedwheel.ExecutorFunc(func(f func()) {
		f()
	}),
}

func forEveryMethodAndExecutor(t *testing.T, f func(t *testing.T, call func(*hashedwheel.Timeout), e hashedwheel.Option)) {
	for method, call := range everyMethod {
		for name, e := range everyExecutor {
			t.Run(method+" on "+name, func(t *testing.T) { f(t, call, hashedwheel.WithExecutor(e)) })
		}
	}
}

func TestUserCodeNeverRunsUnderALockInATask(t *testing.T) {
	forEveryMethodAndExecutor(t, func(t *testing.T, call func(*hashedwheel.Timeout), e hashedwheel.Option) {
		tm := newTickingTimer(e)
		defer tm.Stop()
		called := make(chan bool, 1)
		returns(t, func() {
			to, err := tm.Schedule(0, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
				call(to)
				called <- true
			}))
			require.NoError(t, err)
			<-called
			call(to)
		})
	})
}

func TestUserCodeNeverRunsUnderALockInAdvance(t *testing.T) {
	for method, call := range everyMethod {
		t.Run(method, func(t *testing.T) {
			clock := hashedwheel.NewManualClock(time.Now())
			tm := newTickingTimer(hashedwheel.WithClock(clock), onWorker)
			ran := false
			_, err := tm.Schedule(0, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
				call(to)
				clock.Advance(oneTick)
				clock.Now()
				clock.After(oneTick)
				ran = true
			}))
			require.NoError(t, err)
			returns(t, func() { clock.Advance(oneTick) })
			assert.True(t, ran)
		})
	}
}

func TestUserCodeNeverRunsUnderALockInAPanicHandler(t *testing.T) {
	forEveryMethodAndExecutor(t, func(t *testing.T, call func(*hashedwheel.Timeout), e hashedwheel.Option) {
		called := make(chan bool, 1)
		tm := newTickingTimer(e, hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) {
			call(to)
			called <- true
		}))
		defer tm.Stop()
		returns(t, func() {
			tm.AfterFunc(0, func() { panic("on purpose") })
			<-called
		})
	})
}

// nosyClock asks the timer something whenever the timer asks it the time.
type nosyClock struct {
	timer atomic.Pointer[hashedwheel.Timer]
}

func (c *nosyClock) ask() {
	if tm := c.timer.Load(); tm != nil {
		tm.Stats()
	}
}

func (c *nosyClock) Now() time.Time {
	c.ask()
	return time.Now()
}

func (c *nosyClock) After(d time.Duration) <-chan time.Time {
	c.ask()
	return time.After(d)
}

func TestUserCodeNeverRunsUnderALockInAClock(t *testing.T) {
	clock := new(nosyClock)
	tm := newTickingTimer(hashedwheel.WithClock(clock))
	defer tm.Stop()
	clock.timer.Store(tm)
	returns(t, func() {
		lateness(tm, []time.Duration{0, oneTick, 10 * oneTick})
		tm.Pending()
		tm.Stop()
	})
}

// An executor that runs tasks inline, which arm again and are run inline.
func TestUserCodeNeverRunsUnderALockInAnExecutorThatArmsAgain(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var runs atomic.Int64
		to := owned(tm, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
			if runs.Add(1) < 100 {
				to.Reset(oneTick)
			}
		}))
		to.Reset(oneTick)
		pass(100 * oneTick)
		assert.Equal(t, int64(100), runs.Load())
	}, hashedwheel.WithExecutor(everyExecutor["inline of the user's own"]))
}

// Whichever of a tick's tasks comes first stops all the others.
func TestUserCodeNeverRunsUnderALockSoATaskStopsItsSiblings(t *testing.T) {
	for _, n := range []int{2, 3, 64, 65, 1000} {
		t.Run(fmt.Sprintf("%d of one tick", n), func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				siblings := make([]*hashedwheel.Timeout, n)
				ran, stopped := 0, 0
				for i := range siblings {
					siblings[i] = tm.AfterFunc(5*oneTick, func() {
						ran++
						for _, to := range siblings {
							if to.Stop() {
								stopped++
							}
						}
					})
				}
				behind := tm.AfterFunc(6*oneTick, nop)
				pass(5*oneTick + oneTick/2)
				assert.Equal(t, 1, ran, "one ran and stopped the rest")
				assert.Equal(t, n-1, stopped)
				pass(oneTick)
				assert.Equal(t, hashedwheel.Expired, behind.State(), "the next tick is not stranded")
				assert.Zero(t, tm.Pending())
				assert.Equal(t, uint64(n-1), tm.Stats().Cancelled)
			}, onWorker)
		})
	}
}

func TestUserCodeNeverRunsUnderALockSoOnlyShutdownWaitsForIt(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		release := make(chan struct{})
		stuck := tm.AfterFunc(0, func() { <-release })
		pass(2 * oneTick)
		start := time.Now()
		tm.Stats()
		tm.AfterFunc(time.Hour, nop).Stop()
		assert.Zero(t, tm.Pending())
		assert.False(t, stuck.Stop())
		stuck.Reset(time.Hour)
		assert.Len(t, tm.Stop(), 1)
		assert.Zero(t, time.Since(start), "nothing waited")
		time.AfterFunc(time.Minute, func() { close(release) })
		_, err := tm.Shutdown(t.Context())
		require.NoError(t, err)
		assert.Equal(t, time.Minute, time.Since(start), "Shutdown did")
		synctest.Wait()
	}, onWorker)
}
