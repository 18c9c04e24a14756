package hashedwheel

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/race"
)

// One hold of the lock visits at most about a portion of timeouts. Each test here arms many portions.

const (
	ms   = int64(time.Millisecond)
	far  = 90_000 * ms // later than all other times of these tests
	many = 20 * portion
)

// newGuarded returns the guarded part of a timer that has a tick of a millisecond and no worker goroutine.
func newGuarded() (*guarded, *Timer) {
	tm := MustNew(WithTick(time.Millisecond), WithClock(NewManualClock(time.Unix(0, 0))))
	tm.guarded.wheel.few = few
	return &tm.guarded, tm
}

// take claims a batch of timeouts that are due.
func (g *guarded) take(now int64) (more bool) {
	g.wheel.open(now)
	_, more = g.takeDue(make([]expired, 0, limits.Batch))
	return more
}

func (g *guarded) takeAll(now int64) {
	for g.take(now) {
	}
}

// fileMoved files n timeouts under a time and gives them another deadline, as a Reset to later does.
func (g *guarded) fileMoved(n int, at, deadline int64) (all []*Timeout) {
	all = g.wheel.arm(slices.Repeat([]int64{at}, n)...)
	for _, t := range all {
		t.timer = g.owner
		setWord(t, deadline, 0, Pending)
	}
	return all
}

// countRefiled returns how many timeouts of all f files elsewhere or takes out.
func countRefiled(all []*Timeout, f func()) (n int) {
	homes := make([]home, len(all))
	for i, t := range all {
		homes[i] = t.home
	}
	f()
	for i, t := range all {
		if t.home != homes[i] {
			n++
		}
	}
	return n
}

// movedIn returns a function that fills the wheel with timeouts filed under one time and due at another.
func movedIn(at, deadline int64) func(g *guarded) []*Timeout {
	return func(g *guarded) []*Timeout { return g.fileMoved(many, at, deadline) }
}

func TestOneHoldOfTheLockVisitsAtMostAPortionOrTwo(t *testing.T) {
	takeDue := func(g *guarded) bool { return g.take(far - ms) }
	for name, row := range map[string]struct {
		arm  func(g *guarded) []*Timeout
		hold func(g *guarded) (more bool)
		most int
	}{
		"takeDue, a bucket":              {movedIn(50*ms, 50*ms), takeDue, limits.Batch},
		"takeDue, a bucket, moved later": {movedIn(50*ms, far), takeDue, portion},
		"takeDue, a ring":                {movedIn(3000*ms, 3000*ms), takeDue, portion},
		"takeDue, a ring, moved later":   {movedIn(3000*ms, far), takeDue, portion},
		"takeDue, a bucket, stopped": {func(g *guarded) []*Timeout {
			all := g.fileMoved(many, 50*ms, 50*ms)
			for _, to := range all {
				setWord(to, 50*ms, queued, Canceled)
			}
			return all
		}, takeDue, portion},
		"takeDue, many slots, all except one in each moved later": {func(g *guarded) (all []*Timeout) {
			for slot := range int64(40) {
				at := (600 + 256*slot) * ms
				all = append(all, g.fileMoved(100, at, far)...)
				all = append(all, g.fileMoved(1, at, at)...)
			}
			return all
		}, takeDue, portion},
		"drainAll, many buckets, moved later": {func(g *guarded) (all []*Timeout) {
			for tick := range int64(many / few) {
				all = append(all, g.fileMoved(few, tick*ms, far)...)
			}
			return all
		}, func(g *guarded) bool { next, _ := g.drainAll(); return next < far }, portion + few},
		"thin, a ring": {func(g *guarded) []*Timeout {
			all := g.fileMoved(2*crowd, 3000*ms, far)
			g.take(g.wheel.nextWork())
			return all
		}, (*guarded).thin, portion},
		"fileIntake": {func(g *guarded) []*Timeout {
			all := g.owner.armMany(t, many)
			g.beginPass(ms, ms, true)
			return all
		}, func(g *guarded) bool { return g.fileIntake(portion) > 0 }, portion},
		"fileStripe": {func(g *guarded) []*Timeout {
			g.queue.makeStripes(1)
			return g.owner.armMany(t, many)
		}, func(g *guarded) bool { g.fileStripe(&g.queue.far.stripes[0]); return g.wheel.count < many }, 2 * portion},
	} {
		t.Run(name, func(t *testing.T) {
			g, _ := newGuarded()
			all := row.arm(g)
			for more := true; more; {
				require.LessOrEqual(t, countRefiled(all, func() { more = row.hold(g) }), row.most)
			}
			g.wheel.check(g.wheel.closed)
		})
	}
}

// The timeout is also in the queue. If its push is refused, only the wheel holds the timeout, and Timer.StopAll must
// find it there.
func TestTakeDueKeepsATimeoutMovedEarlier(t *testing.T) {
	for name, at := range map[string]int64{"a bucket": 50 * ms, "a ring": 3000 * ms} {
		t.Run(name, func(t *testing.T) {
			g, tm := newGuarded()
			to := g.fileMoved(1, at, at)[0]
			setWord(to, 2*ms, queued, Pending)
			g.takeAll(at + ms)
			assert.Equal(t, []*Timeout{to}, tm.StopAll())
		})
	}
}

// Pending and helping producers take timeouts from the queue during a pass. A pass that also filed those might not end.
// Nor does the next pass take an intake, so stripes stay deep, and producers help.
func TestIntakeDoesNotGrowUntilItIsFiled(t *testing.T) {
	g, tm := newGuarded()
	fileIntake := func() {
		for g.fileIntake(portion) > 0 {
		}
	}
	tm.armMany(t, many)
	g.beginPass(ms, ms, true)
	g.fileIntake(portion)
	tm.armMany(t, many)
	g.takeLane(&g.queue.far.lane)
	g.beginPass(2*ms, 2*ms, true) // the first pass has outlasted its tick
	fileIntake()
	assert.Equal(t, many, g.wheel.count)
	g.beginPass(3*ms, 3*ms, true)
	fileIntake()
	assert.Equal(t, 2*many, g.wheel.count)
}

// Due timeouts do not wait until a long intake is filed. No run is set, so this goroutine is the worker.
func TestPassThatFilesForLongerThanATickBeginsAgain(t *testing.T) {
	tm := MustNew(WithTick(minTick))
	defer tm.StopAll()
	tm.armMany(t, 20_000)
	assert.True(t, tm.worker.pass(true))
	assert.Positive(t, tm.guarded.intake)
}

// On one processor, a goroutine that the worker started for the task would wait until the worker has filed all.
func TestDueTaskStartsBeforeALongIntakeIsFiled(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	tm := MustNew(WithTick(time.Second)) // so that no pass ends for its length
	defer tm.StopAll()
	tm.armMany(t, limits.Drain*3/2)
	intake := func() int {
		defer tm.guarded.lock().Unlock()
		return tm.guarded.intake
	}
	left := make(chan int, 1)
	tm.AfterFunc(time.Millisecond, func() { left <- intake() })
	if n := <-left; !race.Enabled { // with it each task has its own goroutine
		assert.Positive(t, n)
	}
	hasEnded := func() bool { return intake() == 0 && tm.out.running.Load() == 1 } // 1: until StopAll
	assert.Eventually(t, hasEnded, 10*time.Second, time.Millisecond)
}

func TestCollectTakesAtMostOnePortion(t *testing.T) {
	g, tm := newGuarded()
	g.fileMoved(many, 50*ms, 50*ms)
	tm.armMany(t, many)
	left := 0
	for more := true; more; {
		var ended []canceled
		ended, more = g.collect(nil)
		require.LessOrEqual(t, len(ended), portion)
		left += len(ended)
	}
	assert.Equal(t, 2*many, left)
}

// Wherever it was, a released timeout may be overwritten.
func TestReleaseTakesATimeoutOut(t *testing.T) {
	for name, row := range map[string]struct {
		prepare  func(g *guarded, to *Timeout)
		canceled bool
	}{
		"in lists":           {func(g *guarded, _ *Timeout) { g.takeLane(&g.queue.far.lane) }, true},
		"in the intake":      {func(g *guarded, _ *Timeout) { g.beginPass(0, 0, true); g.fileIntake(1) }, true},
		"on a stopped timer": {func(g *guarded, _ *Timeout) { g.owner.StopAll() }, false},
	} {
		t.Run(name, func(t *testing.T) {
			g, tm := newGuarded()
			all := tm.armMany(t, few) // in the same stripe, or another
			to := all[few/2]
			row.prepare(g, to)
			assert.Equal(t, row.canceled, to.Release())
			*to = Timeout{}
			_, pending := g.drainAll()
			g.wheel.check(g.wheel.closed)
			assert.Len(t, tm.StopAll(), pending)
		})
	}
}

// Either Timer.StopAll returns the timeout, or Release reports that it has canceled it.
func TestReleaseWhileStopAllHasCollectedAPart(t *testing.T) {
	for _, isFiled := range []bool{true, false} {
		g, tm := newGuarded()
		all := tm.armMany(t, many)
		if isFiled {
			g.drainAll()
		}
		ended, more := g.collect(nil)
		var done sync.WaitGroup
		released := 0
		done.Go(func() {
			for _, to := range all {
				if to.Release() {
					released++
				}
				*to = Timeout{}
			}
		})
		for more {
			ended, more = g.collect(ended)
			runtime.Gosched()
		}
		done.Wait()
		assert.Equal(t, many, len(ended)+released)
	}
}

func TestReleaseLetsGoOfTheLockBetweenPortions(t *testing.T) {
	if runtime.GOMAXPROCS(0) == 1 {
		t.Skip("on one processor nobody else runs between two portions")
	}
	const n = 200_000
	filed := n
	for try := 0; try < 5 && filed >= n-1; try++ { // this goroutine may wait for a processor
		g, tm := newGuarded()
		tm.armMany(t, n)
		g.takeLane(&g.queue.far.lane)
		last := g.lists[len(g.lists)-1]
		for last.link != nil {
			last = last.link
		}
		var done sync.WaitGroup
		done.Go(func() { last.Release() })
		for filed = 0; filed == 0; runtime.Gosched() {
			g.mu.Lock()
			filed = g.wheel.count
			g.mu.Unlock()
		}
		done.Wait()
		assert.Len(t, tm.StopAll(), n-1)
	}
	assert.Less(t, filed, n-1)
}

// Such a bucket is looked through, since a timeout is due as its tick begins.
func TestOneHoldOfTheLockLooksThroughAPartOfAFullBucket(t *testing.T) {
	g, _ := newGuarded()
	g.fileMoved(many, 50*ms+1, 50*ms+1)
	g.fileMoved(1, 50*ms, 50*ms)
	g.take(50 * ms)
	assert.Greater(t, g.wheel.unseen, many-2*portion)
}

func TestTakeDueFindsTheLastWhileOthersLeave(t *testing.T) {
	g, _ := newGuarded()
	all := g.fileMoved(few, 50*ms+1, 50*ms+1)
	g.wheel.open(50*ms + 1)
	batch, _ := g.takeDue(make([]expired, 0, 1))
	for _, to := range all {
		if to.State() == Pending && g.wheel.count > 1 {
			g.wheel.remove(to)
		}
	}
	batch, _ = g.takeDue(batch[:0])
	assert.Len(t, batch, 1)
}

// The last timeout of a slot takes the place of one that leaves. The walk has visited it.
func TestSampleWalkFindsAllThatStayWhileOthersLeave(t *testing.T) {
	g, _ := newGuarded()
	all := g.fileMoved(many, 3000*ms, 3000*ms)
	s := newSample(g.owner, many, many)
	for g.samplePortion(s) {
		for range portion / 4 {
			i := rand.IntN(len(all))
			g.wheel.remove(all[i])
			all = slices.Delete(all, i, i+1)
		}
	}
	for _, to := range all {
		_, isFound := s.picked[to]
		require.True(t, isFound)
	}
}

// A portion is visited under the lock, where an allocation would prolong the hold.
func TestSampleWalkAllocatesNothing(t *testing.T) {
	g, _ := newGuarded()
	g.fileMoved(many, 50*ms, 50*ms)
	samples := make([]*sample, 11)
	for i := range samples {
		samples[i] = newSample(g.owner, many, many)
	}
	runs := 0
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		g.samplePortion(samples[runs])
		runs++
	}))
	assert.Len(t, samples[0].picked, portion)
}

// armMany leaves n timeouts in the queue: it pushes them itself, since AfterFunc would help to file them.
func (tm *Timer) armMany(t *testing.T, n int) (all []*Timeout) {
	t.Helper()
	for range n {
		to := &Timeout{timer: tm, task: plainFunc(func() {})}
		to.beginNew(tm.deadlineIn(time.Hour))
		_, ok := tm.queue.push(to, &tm.queue.far.lane)
		require.True(t, ok)
		all = append(all, to)
	}
	tm.queue.far.wanted.Store(true)
	return all
}
