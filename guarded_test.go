package hashedwheel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// One hold of the lock visits at most about a portion of timeouts. Each test here arms many portions.

const (
	farTick = 90_000 // later than all other ticks of these tests
	many    = 20 * portion
)

// newGuarded returns the guarded part of a timer that has a tick of a millisecond and no worker goroutine.
func newGuarded() (*guarded, *Timer) {
	tm := MustNew(WithTick(time.Millisecond), WithClock(NewManualClock(time.Unix(0, 0))))
	return &tm.guarded, tm
}

// take claims a batch of timeouts that are due by tick.
func (g *guarded) take(tick tick) (more bool) {
	_, more = g.takeDue(tick, make([]expired, 0, batchSize))
	return more
}

// drain files at most limit of the queued timeouts.
func (g *guarded) drain(limit int) int {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.takeAll()
	n, _ := g.file(limit, len(g.lists))
	return n
}

// fileMoved files n timeouts under a tick and gives them the deadline of another, as a Reset to later does.
func (g *guarded) fileMoved(n int, tick, due tick) (all []*Timeout) {
	for range n {
		t := pendingAt(g.wheel.ticks.start(due))
		t.timer = g.owner
		g.wheel.place(t, tick)
		all = append(all, t)
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

// movedIn returns a function that fills the wheel with timeouts filed under one tick and due at another.
func movedIn(tick, due tick) func(g *guarded) []*Timeout {
	return func(g *guarded) []*Timeout { return g.fileMoved(many, tick, due) }
}

func TestOneHoldOfTheLockVisitsAtMostAPortionOrTwo(t *testing.T) {
	takeDue := func(g *guarded) bool { return g.take(farTick - 1) }
	thin := func(g *guarded) bool { return g.wheel.thin() }
	aCrowdIn := func(tick tick) func(g *guarded) []*Timeout {
		return func(g *guarded) []*Timeout {
			all := g.fileMoved(2*crowd, tick, farTick)
			g.take(g.wheel.nextWork())
			return all
		}
	}
	for name, row := range map[string]struct {
		arm  func(g *guarded) []*Timeout
		hold func(g *guarded) (more bool)
		most int
	}{
		"takeDue, a bucket":              {movedIn(50, 50), takeDue, batchSize},
		"takeDue, a bucket, moved later": {movedIn(50, farTick), takeDue, portion},
		"takeDue, a ring":                {movedIn(3000, 3000), takeDue, portion},
		"takeDue, a ring, moved later":   {movedIn(3000, farTick), takeDue, portion},
		"thin, a ring":                   {aCrowdIn(3000), thin, portion},
		"takeDue, a bucket, stopped": {func(g *guarded) []*Timeout {
			all := g.fileMoved(many, 50, 50)
			for _, to := range all {
				setWord(to, 50, queued, Canceled)
			}
			return all
		}, takeDue, portion},
		"takeDue, many slots, all except one in each moved later": {func(g *guarded) (all []*Timeout) {
			for slot := range tick(40) {
				all = append(all, g.fileMoved(100, 600+256*slot, farTick)...)
				all = append(all, g.fileMoved(1, 600+256*slot, 600+256*slot)...)
			}
			return all
		}, takeDue, portion},
		"fileIntake": {func(g *guarded) []*Timeout {
			all := g.owner.armMany(t, many)
			g.beginPass(1, 1)
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
			g.wheel.checkAll()
		})
	}
}

// The timeout is also in the queue. If its push is refused, only the wheel holds the timeout, and Timer.StopAll must
// find it there.
func TestTakeDueKeepsATimeoutMovedEarlier(t *testing.T) {
	for name, tick := range map[string]tick{"a bucket": 50, "a ring": 3000} {
		t.Run(name, func(t *testing.T) {
			g, tm := newGuarded()
			to := g.fileMoved(1, tick, tick)[0]
			setWord(to, 2, queued, Pending)
			g.wheel.close(tick)
			assert.False(t, g.take(tick))
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
	g.beginPass(1, 1)
	g.fileIntake(portion)
	tm.armMany(t, many)
	g.takeAll()
	g.beginPass(2, 2) // the first pass has outlasted its tick
	fileIntake()
	assert.Equal(t, many, g.wheel.count)
	g.beginPass(3, 3)
	fileIntake()
	assert.Equal(t, 2*many, g.wheel.count)
}

func TestCollectTakesAtMostOnePortion(t *testing.T) {
	g, tm := newGuarded()
	g.fileMoved(many, 50, 50)
	tm.armMany(t, many)
	left := 0
	for more := true; more; {
		var ended []*Timeout
		ended, more = g.collect(nil)
		require.LessOrEqual(t, len(ended), portion)
		left += len(ended)
	}
	assert.Equal(t, 2*many, left)
}

// armMany leaves n timeouts in the queue: it pushes them itself, since AfterFunc would help to file them.
func (tm *Timer) armMany(t *testing.T, n int) (all []*Timeout) {
	t.Helper()
	for range n {
		to := &Timeout{timer: tm, task: plainFunc(func() {})}
		to.beginNew(tm.deadlineIn(time.Hour))
		require.NotEqual(t, refused, tm.queue.push(to, &tm.queue.far.lane))
		all = append(all, to)
	}
	tm.queue.far.wanted.Store(true)
	return all
}
