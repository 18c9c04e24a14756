package hashedwheel

import (
	"math"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// inOneStripe returns n timeouts that share a stripe.
func inOneStripe(tm *Timer, n int) (found []*Timeout) {
	all := make([]Timeout, (n+128)*len(tm.queue.stripes)) // a page for each in turn
	for i := range all {
		if tm.queue.stripeOf(&all[i]) == tm.queue.stripeOf(&all[0]) && len(found) < n {
			all[i].Init(tm, TaskFunc(func(*Timeout) {}))
			found = append(found, &all[i])
		}
	}
	return found
}

// Pending and its like file what was handed over in portions, and so does a producer
// that helps. A worker that parks between two of them must know of the rest.
func TestWorkerThatParksBetweenTwoPortionsKnowsOfTheRest(t *testing.T) {
	for name, file := range map[string]func(*Timer, *Timeout){
		"drain": func(tm *Timer, _ *Timeout) { tm.guarded.drain(portion) },
		"help":  func(tm *Timer, to *Timeout) { tm.guarded.help(to) },
	} {
		t.Run(name, func(t *testing.T) {
			tm := MustNew(WithTick(100 * time.Millisecond))
			defer tm.Stop()
			tm.parked.Store(awake) // as the worker's goroutine is, towards the end of a pass
			all := inOneStripe(tm, 1000)
			require.Len(t, all, 1000)
			all[0].word.Store(int64(pack(int64(300*time.Millisecond), queued, Pending)))
			tm.queue.push(all[0])
			for _, to := range all[1:] {
				to.word.Store(int64(pack(int64(time.Hour), queued, Pending)))
				tm.queue.push(to)
			}
			file(tm, all[0])
			require.NotNil(t, tm.guarded.backlog)

			next, rest := tm.park(0, 0)
			assert.True(t, rest == awake || next <= 3, "it sleeps until tick %d, and one is due at 3; rest %d", next, rest)
			tm.parked.Store(awake)
		})
	}
}

// hookedClock calls hook, once, between the reading of a time and its return.
type hookedClock struct {
	*ManualClock
	hook func()
}

func (c *hookedClock) Now() time.Time {
	now := c.ManualClock.Now()
	if hook := c.hook; hook != nil {
		c.hook = nil
		hook()
	}
	return now
}

// A worker that has read the clock and waits for the lock finds that somebody else, who
// read it later, has turned the wheel on. To turn that back would visit all that is filed,
// seconds with ten million.
func TestAReadingOvertakenByAnotherTurnsNothingBack(t *testing.T) {
	clock := &hookedClock{ManualClock: NewManualClock(time.Unix(0, 0))}
	tm := MustNew(WithTick(time.Millisecond), WithClock(clock))
	defer tm.Stop()
	tm.parked.Store(awake) // no goroutine: the pass is the test's
	tm.AfterFunc(time.Hour, func() {})
	require.Equal(t, 1, tm.Pending())
	to := tm.guarded.wheel.popAny()
	tm.guarded.wheel.place(to, far) // where a visit would not leave it

	clock.hook = func() {
		clock.Advance(time.Second)
		tm.Pending()
	}
	tick, _, _ := tm.pass()
	assert.EqualValues(t, 1000, tick, "of the later reading")
	assert.EqualValues(t, far, to.home.tick(), "visited")
}

// Who arms first and who arms next need not know of each other.
func TestStartingTheWorkerAgainFromAnotherGoroutine(t *testing.T) {
	tm := MustNew(WithTick(time.Millisecond))
	defer tm.Stop()
	for range 5 {
		go tm.AfterFunc(0, func() {})
		time.Sleep(20 * time.Millisecond)
		for tm.parked.Load() != absent {
			time.Sleep(time.Millisecond)
		}
	}
}

// The worker goroutine that has just parked for good, and the one an arming starts.
func TestRestartBesideTheEndOfTheWorkerBefore(t *testing.T) {
	tm := MustNew(WithTick(100 * time.Microsecond))
	defer tm.Stop()
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 1000 {
				c := make(chan struct{})
				tm.AfterFunc(0, func() { close(c) })
				<-c
				time.Sleep(time.Duration(i%7) * 50 * time.Microsecond)
			}
		}()
	}
	wg.Wait()
}

// newTimelineAt returns one with a tick of ten, on a clock that shows ns.
func newTimelineAt(ns int64) *timeline {
	clock := NewManualClock(time.Unix(0, 0))
	tl := newTimeline(clock, 10)
	clock.Advance(time.Duration(ns))
	return &tl
}

func TestADeadlineIsFromNowToNever(t *testing.T) {
	for _, row := range []struct {
		now  int64
		d    time.Duration
		want int64
	}{
		{100, 0, 100},
		{100, 7, 107},
		{100, -1, 100},
		{100, math.MinInt64, 100},
		{100, maxDeadline - 101, maxDeadline - 1},
		{100, maxDeadline - 100, maxDeadline},
		{100, maxDeadline, maxDeadline},
		{100, math.MaxInt64, maxDeadline},
		{0, math.MaxInt64, maxDeadline},
	} {
		assert.Equal(t, row.want, newTimelineAt(row.now).deadlineIn(row.d), "%d from %d", row.d, row.now)
	}
}

func TestATimeIsADeadlineFromTheFirstToTheLastThereIs(t *testing.T) {
	tl := newTimelineAt(0)
	for at, want := range map[time.Duration]int64{-7: -7, 0: 0, 7: 7, math.MinInt64: minDeadline, math.MaxInt64: maxDeadline} {
		assert.Equal(t, want, tl.since(tl.start.Add(at)), "at %d", at)
	}
}

func TestTickAtIsTheLastTickThatHasBegun(t *testing.T) {
	tl := newTimelineAt(0)
	for now, want := range map[int64]int64{-11: -2, -10: -1, -9: -1, -1: -1, 0: 0, 9: 0, 10: 1, 11: 1} {
		assert.Equal(t, want, tl.tickAt(now), "at %d", now)
	}
}

func TestGridIsTheSameBeforeAndAfterItsStart(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	s := Series{start: start, period: 10}
	for ns, next := range map[time.Duration]time.Duration{-21: -20, -20: -10, -11: -10, -1: 0, 0: 10, 1: 10, 9: 10, 10: 20, 29: 30} {
		assert.Equal(t, start.Add(next), s.pointAfter(start.Add(ns)), "the first point after %d", ns)
	}
}

func TestNoClockReachesNever(t *testing.T) {
	assert.Equal(t, int64(maxDeadline-1), newTimelineAt(math.MaxInt64).now())
}

func TestATimerMadeOutsideABubblePanicsInside(t *testing.T) {
	outside := MustNew()
	owned := new(Timeout)
	owned.Init(outside, TaskFunc(func(*Timeout) {}))
	const says = "hashedwheel: Timer made outside a testing/synctest bubble and used inside: make it in the bubble"
	synctest.Test(t, func(t *testing.T) {
		assert.PanicsWithValue(t, says, func() { outside.AfterFunc(5*time.Second, func() {}) })
		assert.PanicsWithValue(t, says, func() { owned.Reset(5 * time.Second) })
		inside := MustNew()
		defer inside.Stop()
		assert.NotPanics(t, func() { inside.AfterFunc(time.Second, func() {}) })
	})
	assert.Zero(t, outside.Pending())
}

// Whoever wraps Inline calls its Go.
// A calendar goes by the wall clock, however far the system's has been set since New.
type calendar struct{ asked []time.Time }

func (c *calendar) Next(now time.Time) time.Time {
	c.asked = append(c.asked, now)
	return time.Time{}
}

func TestASchedulerGetsTheWallClockAndNowTheTimeSinceNew(t *testing.T) {
	tm, set, c := MustNew(), time.Now().Add(time.Hour), new(calendar)
	defer tm.Stop()
	tm.clock = setClock{set}
	assert.Less(t, tm.Now().Sub(tm.start), time.Minute)
	tm.Recur(c, func(*Series) {})
	assert.Equal(t, []time.Time{set}, c.asked)
}

// setClock stands for the system's, the wall clock of which has been set.
type setClock struct{ at time.Time }

func (c setClock) Now() time.Time                     { return c.at }
func (setClock) After(time.Duration) <-chan time.Time { return nil }

func TestInlineHasRunTheTaskWhenGoReturns(t *testing.T) {
	ran := false
	Inline{}.Go(func() { ran = true })
	assert.True(t, ran)
}
