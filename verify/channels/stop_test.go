package channels_test

import (
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestAfterIsReleasedByStop(t *testing.T) {
	onAnyExecutor(t, func(t *testing.T, tm *hashedwheel.Timer) {
		var channels []<-chan struct{}
		arm := func() {
			for _, d := range []time.Duration{0, tick, 10 * tick, 74 * tick, time.Hour, math.MaxInt64} {
				channels = append(channels, tm.After(d))
			}
		}
		arm()
		timertest.Pass(5*tick + tick/2) // into the wheel
		arm()                           // still in the queue
		start := time.Now()
		var waiters sync.WaitGroup
		for _, c := range channels {
			waiters.Go(func() { <-c })
		}
		assert.Empty(t, tm.Stop(), "nobody's timeouts")
		assert.Zero(t, openAmong(channels), "when Stop returns")
		waiters.Wait()
		assert.Zero(t, time.Since(start), "at once")
		assert.Zero(t, tm.Pending())
		assert.Zero(t, timertest.LibraryGoroutines())
	})
}

// A loop around After neither hangs nor spins once its timer is stopped, whatever its clock.
func TestAfterOfAStoppedTimerWaitsInPackageTime(t *testing.T) {
	stopped := map[string]func(opts ...hashedwheel.Option) *hashedwheel.Timer{
		"system": timertest.New,
		"a clock that stands still": func(opts ...hashedwheel.Option) *hashedwheel.Timer {
			_, tm := timertest.NewManual(opts...)
			return tm
		},
	}
	for name, newTimer := range stopped {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := newTimer(hashedwheel.WithMaxPending(1))
				tm.Stop()
				never := tm.After(math.MaxInt64)
				for _, d := range []time.Duration{math.MinInt64, -1, 0, 1, tick, 10*tick + 1, time.Hour} {
					start := time.Now()
					<-tm.After(d)
					assert.Equal(t, max(0, d), time.Since(start))
				}
				assert.False(t, timertest.IsClosed(never))
				assert.Zero(t, timertest.LibraryGoroutines(), "nothing waits but package time")
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

func TestAfterIsReleasedByStopFromATask(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		sibling, later := tm.After(tick), tm.After(time.Hour)
		stopped := false
		tm.AfterFunc(tick, func() {
			tm.Stop()
			assert.True(t, timertest.IsClosed(later))
			<-sibling        // due in the same tick: closed by Stop, or by another goroutine
			<-tm.After(tick) // in package time
			stopped = true
		})
		timertest.Pass(5 * tick)
		assert.True(t, stopped)
	}, timertest.OnWorker)
}

// A race is of goroutines that call After and of two that call Stop.
type race struct {
	tick    time.Duration
	callers int
	delay   func(caller, i int) time.Duration
	waits   bool // each caller waits for its channel before it calls After again
	isDue   bool // channels are also closed by their ticks
}

var races = map[string]race{
	"for the channel of one tick":  {tick: time.Hour, callers: 4, delay: hours(0, 0)},
	"for a channel of each tick":   {tick: time.Hour, callers: 1, delay: hours(0, 1)},
	"by callers that wait":         {tick: time.Hour, callers: 4, delay: hours(100, 1), waits: true},
	"by hundreds that wait":        {tick: time.Hour, callers: 500, delay: hours(1, 1), waits: true},
	"for channels that become due": {tick: 100 * time.Microsecond, callers: 5, delay: soon, isDue: true},
}

func hours(ofCaller, ofCall int) func(caller, i int) time.Duration {
	return func(caller, i int) time.Duration { return time.Duration(1+ofCaller*caller+ofCall*i) * time.Hour }
}

// soon is a tick or none for one caller. The others ask for ticks that are far apart, which takes the lock.
func soon(caller, i int) time.Duration {
	if caller == 0 {
		return time.Duration(i%2) * 100 * time.Microsecond
	}
	return time.Duration(1+i%1000) * time.Hour
}

// Every channel that a caller got is closed, except those that the timer refused, which package time closes, and no
// goroutine that Stop releases finds the timer still running.
func TestStopRacesWithAfter(t *testing.T) {
	for name, r := range races {
		t.Run(name, func(t *testing.T) {
			for begun := time.Now(); time.Since(begun) < timertest.Lasting(time.Second) && !t.Failed(); {
				r.run(t)
			}
		})
	}
}

func (r race) run(t *testing.T) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(r.tick), hashedwheel.WithWheelSize(1))
	got := make([][]<-chan struct{}, r.callers)
	over := make(chan struct{})
	var ready, calling, stopping sync.WaitGroup
	for c := range got {
		ready.Add(1)
		calling.Go(func() {
			ready.Done()
			got[c] = r.call(t, tm, c, over)
		})
	}
	ready.Wait()
	if r.isDue {
		time.Sleep(5 * r.tick)
	}
	for range 2 {
		stopping.Go(func() { tm.Stop() })
	}
	stopping.Wait()
	close(over)
	timertest.Returns(t, calling.Wait)
	refused := int(tm.Stats().Rejected) // each an hour away, or more
	if r.isDue {                        // except the first caller's
		timertest.Returns(t, func() {
			for _, c := range got[0] {
				<-c
			}
		})
		assert.LessOrEqual(t, openAmong(slices.Concat(got...)), refused)
		return
	}
	assert.Equal(t, refused, openAmong(slices.Concat(got...)))
}

// call calls After until the timer is stopped, and returns the channels.
func (r race) call(t *testing.T, tm *hashedwheel.Timer, caller int, over chan struct{}) (got []<-chan struct{}) {
	for i := 0; !timertest.IsClosed(over); i++ {
		c := tm.After(r.delay(caller, i))
		if len(got) == 0 || got[len(got)-1] != c {
			got = append(got, c)
		}
		if r.waits {
			select {
			case <-c:
			case <-over:
			}
		}
		if timertest.IsClosed(c) && !r.isDue {
			assert.True(t, tm.Stats().Stopped, "released before that")
			break
		}
		runtime.Gosched()
	}
	return got
}
