package hashedwheel

import (
	"math"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// No call under the lock looks at more than a portion of timeouts: here each has
// far more to do.

const (
	far  = 90_000 // a tick
	many = 20 * portion
)

// newGuarded returns what the lock of a timer without a worker guards; its tick is
// a millisecond.
func newGuarded() (*guarded, *Timer) {
	tm := MustNew(WithTick(time.Millisecond), WithClock(NewManualClock(time.Unix(0, 0))))
	return &tm.guarded, tm
}

// file files n timeouts under a tick, as they are after a Reset to another.
func (g *guarded) fileMoved(n int, tick, to int64) (all []*Timeout) {
	for range n {
		t := pendingAt(to * g.wheel.tick)
		g.wheel.place(t, tick)
		all = append(all, t)
	}
	return all
}

// touched returns how many of all f takes from where they are.
func touched(all []*Timeout, f func()) (n int) {
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

func TestTakeLooksAtNoMoreThanAPortion(t *testing.T) {
	for says, arm := range map[string]func(g *guarded) []*Timeout{
		"moved later":           func(g *guarded) []*Timeout { return g.fileMoved(many, 50, far) },
		"in a ring":             func(g *guarded) []*Timeout { return g.fileMoved(many, 3000, 3000) },
		"moved later in a ring": func(g *guarded) []*Timeout { return g.fileMoved(many, 3000, far) },
		"stopped": func(g *guarded) []*Timeout {
			all := g.fileMoved(many, 50, 50)
			for _, to := range all {
				setWord(to, 50, queued, Cancelled)
			}
			return all
		},
		"some in each of many slots, all but one moved later": func(g *guarded) (all []*Timeout) {
			for slot := range int64(40) {
				all = append(all, g.fileMoved(100, 600+256*slot, far)...)
				all = append(all, g.fileMoved(1, 600+256*slot, 600+256*slot)...)
			}
			return all
		},
	} {
		t.Run(says, func(t *testing.T) {
			g, _ := newGuarded()
			all := arm(g)
			for more := true; more; {
				n := touched(all, func() { more = g.take(far - 1) })
				require.LessOrEqual(t, n, portion)
				require.LessOrEqual(t, len(g.batch), batchSize)
				for _, to := range g.batch {
					require.True(t, to.claim(math.MaxInt64))
				}
				g.settle(0)
			}
			g.wheel.checkAll()
		})
	}
}

func TestABatchIsNoLargerThanThatOfATakeOfACrowd(t *testing.T) {
	g, _ := newGuarded()
	all := g.fileMoved(many, 50, 50)
	n := touched(all, func() { require.True(t, g.take(50)) })
	assert.Equal(t, batchSize, n)
	assert.Len(t, g.batch, batchSize)
	assert.Equal(t, int64(50), g.batchTick)
}

func TestAdvanceLooksAtNoMoreThanItIsTold(t *testing.T) {
	g, _ := newGuarded()
	all := g.fileMoved(many, 3000, far)
	start, _ := g.wheel.first()
	assert.Equal(t, 7, touched(all, func() { g.wheel.advance(start, 7) }))
	assert.Equal(t, 9, touched(all, func() { g.wheel.advance(start, 9) }))
}

func TestThinLooksAtNoMoreThanAPortion(t *testing.T) {
	for says, tick := range map[string]int64{"a bucket": 500, "a slot": 3000} {
		t.Run(says, func(t *testing.T) {
			g, _ := newGuarded()
			all := g.fileMoved(2*crowd, tick, far)
			g.take(g.wheel.wake())
			for more := true; more; {
				require.LessOrEqual(t, touched(all, func() { more = g.wheel.thin() }), portion)
			}
			for _, to := range all {
				require.Equal(t, int64(far), to.home.tick())
			}
		})
	}
}

func TestDrainFilesNoMoreThanItsLimit(t *testing.T) {
	for _, limit := range []int{1, 100, portion} {
		g, tm := newGuarded()
		tm.armMany(t, many)
		before := g.wheel.count
		assert.Equal(t, limit, g.drain(limit))
		assert.Equal(t, limit, g.wheel.count-before)
	}
}

func TestHelpFilesNoMoreThanTwoPortions(t *testing.T) {
	g, tm := newGuarded()
	all := tm.armMany(t, many)
	for len(all) > g.wheel.count {
		before := g.wheel.count
		g.help(all[0])
		require.LessOrEqual(t, g.wheel.count-before, 2*portion)
		if g.wheel.count == before {
			g.drain(portion)
		}
	}
}

func TestCollectTakesNoMoreThanAPortionBesideTheBatch(t *testing.T) {
	g, tm := newGuarded()
	g.fileMoved(many, 50, 50)
	tm.armMany(t, many)
	g.take(50)
	var left []*Timeout
	for more := true; more; {
		before := len(left)
		left, _, more = g.collect(left)
		require.LessOrEqual(t, len(left)-before, portion+batchSize)
	}
	assert.Len(t, left, 2*many)
}

// armMany leaves n timeouts in the queue, with the lock taken: nobody helps.
func (tm *Timer) armMany(t *testing.T, n int) (all []*Timeout) {
	t.Helper()
	tm.guarded.Lock()
	defer tm.guarded.Unlock()
	for range n {
		all = append(all, tm.AfterFunc(time.Hour, func() {}))
	}
	return all
}

func TestNextIsNeverTooLateWhileABatchIsHandedOut(t *testing.T) {
	for name, move := range map[string]func(self, other *Timeout){
		"the task arms its own Timeout anew":           func(self, _ *Timeout) { self.Reset(5 * time.Second) },
		"another of the batch was moved later":         func(_, other *Timeout) { other.Reset(5 * time.Second) },
		"another of the batch was stopped, armed anew": func(_, other *Timeout) { other.Stop(); other.Reset(5 * time.Second) },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := MustNew(WithExecutor(Inline{}))
				defer tm.Stop()
				var self, other Timeout
				var ran atomic.Int32
				task := func(mine, theirs *Timeout) Task {
					return TaskFunc(func(*Timeout) {
						if ran.Add(1) > 1 {
							return
						}
						move(mine, theirs)
						if theirs.State() == Pending && theirs.Deadline().Before(tm.Now().Add(time.Second)) {
							theirs.Stop()
						}
						latest := tm.Now().Add(5*time.Second + 200*time.Millisecond)
						at, ok := tm.Next()
						assert.True(t, ok)
						assert.False(t, at.After(latest), "Next says %v, after %v", at, latest)
					})
				}
				self.Init(tm, task(&self, &other))
				other.Init(tm, task(&other, &self))
				self.Reset(time.Second)
				other.Reset(time.Second)
				time.Sleep(2 * time.Second)
				assert.Positive(t, ran.Load())
			})
		})
	}
}

// The worker does not wait then: if producers went on giving way, all that is stopped would stay.
func TestProducersHelpWhileATaskBlocksTheWorker(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tm := MustNew(WithTick(time.Millisecond), WithExecutor(Inline{}))
		defer tm.Stop()
		over := make(chan struct{})
		defer close(over)
		tm.AfterFunc(0, func() { <-over })
		time.Sleep(time.Second)
		for range 50_000 {
			tm.AfterFunc(time.Hour, func() {}).Stop()
		}
		g := &tm.guarded
		g.Lock() // Stats would drain
		defer g.Unlock()
		assert.Greater(t, g.cancelled, uint64(25_000))
	})
}
