package promises

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

var everyExecutor = map[string]hashedwheel.Executor{
	"goroutines": new(sync.WaitGroup),
	"Inline":     hashedwheel.Inline{},
	"inline of the user's own": hashedwheel.ExecutorFunc(func(f func()) {
		f()
	}),
}

// tell sends unless nobody has received the last one yet: a task that is held up between a ResetAt of the past
// and a Stop runs again.
func tell(called chan<- bool) {
	select {
	case called <- true:
	default:
	}
}

// The task calls the method, then the panic handler does.
func TestUserCodeNeverRunsUnderALockInATask(t *testing.T) {
	for method, call := range timertest.EveryMethod {
		for name, e := range everyExecutor {
			t.Run(method+" on "+name, func(t *testing.T) {
				called := make(chan bool, 1)
				handler := hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) {
					call(to)
					tell(called)
				})
				tm := timertest.New(hashedwheel.WithExecutor(e), handler)
				defer tm.Stop()
				timertest.Returns(t, func() {
					to, err := tm.Schedule(0, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
						call(to)
						panic("on purpose")
					}))
					require.NoError(t, err)
					<-called
					call(to)
				})
			})
		}
	}
}

func TestUserCodeNeverRunsUnderALockInAdvance(t *testing.T) {
	for method, call := range timertest.EveryMethod {
		t.Run(method, func(t *testing.T) {
			clock := hashedwheel.NewManualClock(time.Now())
			tm := timertest.New(hashedwheel.WithClock(clock), timertest.OnWorker)
			ran := false
			_, err := tm.Schedule(0, hashedwheel.TaskFunc(func(to *hashedwheel.Timeout) {
				call(to)
				clock.Advance(timertest.Tick)
				clock.Now()
				clock.After(timertest.Tick)
				ran = true
			}))
			require.NoError(t, err)
			timertest.Returns(t, func() { clock.Advance(timertest.Tick) })
			assert.True(t, ran)
		})
	}
}

// nosyClock calls the timer whenever the timer calls it, except in calls that it causes itself:
// Stats reads the time.
type nosyClock struct {
	timer  atomic.Pointer[hashedwheel.Timer]
	asking atomic.Bool
	asked  atomic.Int64
}

func (c *nosyClock) ask() {
	if tm := c.timer.Load(); tm != nil && c.asking.CompareAndSwap(false, true) {
		tm.Stats()
		c.asking.Store(false)
		c.asked.Add(1)
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
	tm := timertest.New(hashedwheel.WithClock(clock))
	defer tm.Stop()
	clock.timer.Store(tm)
	timertest.Returns(t, func() {
		timertest.Lateness(tm, []time.Duration{0, timertest.Tick, 10 * timertest.Tick})
		tm.Pending()
		tm.Stop()
	})
	assert.Positive(t, clock.asked.Load())
}

// Whichever of a tick's tasks comes first stops all the others.
func TestUserCodeNeverRunsUnderALockSoATaskStopsItsSiblings(t *testing.T) {
	for _, n := range []int{2, 3, 64, 65, 1000} {
		t.Run(fmt.Sprintf("%d of one tick", n), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				siblings := make([]*hashedwheel.Timeout, n)
				ran, stopped := 0, 0
				for i := range siblings {
					siblings[i] = tm.AfterFunc(5*timertest.Tick, func() {
						ran++
						for _, to := range siblings {
							if to.Stop() {
								stopped++
							}
						}
					})
				}
				behind := tm.AfterFunc(6*timertest.Tick, timertest.Nop)
				timertest.Pass(5*timertest.Tick + timertest.Tick/2)
				assert.Equal(t, 1, ran, "one ran and stopped the rest")
				assert.Equal(t, n-1, stopped)
				timertest.Pass(timertest.Tick)
				assert.Equal(t, hashedwheel.Expired, behind.State(), "the next tick is not stranded")
				assert.Zero(t, tm.Pending())
			}, timertest.OnWorker)
		})
	}
}

func TestUserCodeNeverRunsUnderALockSoOnlyShutdownWaitsForIt(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		release := make(chan struct{})
		stuck := tm.AfterFunc(0, func() { <-release })
		timertest.Pass(2 * timertest.Tick)
		start := time.Now()
		tm.Stats()
		tm.AfterFunc(time.Hour, timertest.Nop).Stop()
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
	}, timertest.OnWorker)
}

// Its mutex may be locked by the caller.
func TestResetAtAndStopCallNoUsersClock(t *testing.T) {
	clock := new(alarmLog)
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		at := time.Now().Add(100 * time.Hour)
		for i := range 50_000 { // parts of the queue become deep
			to := timertest.Owned(tm, timertest.NopTask)
			to.ResetAt(at)
			to.ResetAt(at.Add(-time.Hour))
			if i%2 == 0 {
				to.Stop()
			}
		}
		assert.LessOrEqual(t, clock.reads.Load(), int64(10), "the worker's")
	}, hashedwheel.WithClock(clock), hashedwheel.WithTick(time.Hour))
}
