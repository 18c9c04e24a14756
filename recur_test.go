package hashedwheel_test

import (
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// aPeriod is no multiple of a tick: no two points of a grid have the same phase.
const aPeriod = 10*oneTick + oneTick/3

// poolDelay is how long the pool of onEachExecutor keeps a task waiting.
const poolDelay = 3 * oneTick

// onEachExecutor is inBubble, in the middle of a tick, on every kind of executor
// that a series may find itself on. late is how late a run may be there.
func onEachExecutor(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer, late time.Duration), opts ...hashedwheel.Option) {
	for name, newExecutor := range map[string]func() hashedwheel.Executor{
		"goroutines":         nil,
		"Inline":             func() hashedwheel.Executor { return hashedwheel.Inline{} },
		"the worker":         func() hashedwheel.Executor { return hashedwheel.ExecutorFunc(func(f func()) { f() }) },
		"a pool of one":      newPoolOfOne,
		"a pool that delays": newPoolThatDelays,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				opts := slices.Clone(opts)
				late := oneTick
				if newExecutor != nil {
					opts = append(opts, hashedwheel.WithExecutor(newExecutor()))
				}
				if name == "a pool that delays" {
					late += poolDelay
				}
				time.Sleep(oneTick / 7)
				tm := newTickingTimer(opts...)
				defer tm.Stop()
				time.Sleep(oneTick / 3)
				f(t, tm, late)
			})
		})
	}
}

func newPoolOfOne() hashedwheel.Executor {
	turn := make(chan bool, 1)
	return hashedwheel.ExecutorFunc(func(f func()) {
		go func() {
			turn <- true
			defer func() { <-turn }()
			f()
		}()
	})
}

func newPoolThatDelays() hashedwheel.Executor {
	return hashedwheel.ExecutorFunc(func(f func()) { time.AfterFunc(poolDelay, f) })
}

// heldBack is an executor that runs nothing before it is told to.
type heldBack struct {
	mu    sync.Mutex
	tasks []func()
}

func (h *heldBack) Go(f func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tasks = append(h.tasks, f)
}

// release runs what was held back, and returns how many tasks that were.
func (h *heldBack) release() int {
	h.mu.Lock()
	tasks := h.tasks
	h.tasks = nil
	h.mu.Unlock()
	for _, f := range tasks {
		f()
	}
	return len(tasks)
}

// onHeldBack is inBubble on an executor that holds tasks back.
func onHeldBack(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer, pool *heldBack), opts ...hashedwheel.Option) {
	t.Helper()
	pool := new(heldBack)
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) { f(t, tm, pool) },
		append(opts, hashedwheel.WithExecutor(pool))...)
}

// note is f of a series whose runs are logged.
func (l *runLog) note() { l.Run(nil) }

// noteBy is the same for one on another clock than the bubble's.
func (l *runLog) noteBy(clock hashedwheel.Clock) func() {
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.at = append(l.at, clock.Now())
	}
}

// everyKnowing is Every for an f that knows its series. A variable for that would
// race: f may run before the assignment.
func everyKnowing(tm *hashedwheel.Timer, period time.Duration, f func(series *hashedwheel.Timeout)) *hashedwheel.Timeout {
	var self atomic.Pointer[hashedwheel.Timeout]
	series := tm.Every(period, func() { f(self.Load()) })
	self.Store(series)
	return series
}

// assertOnGrid fails the test unless there were as many runs as points, each at
// its point of the grid: not early, and no later than late.
func assertOnGrid(t *testing.T, start time.Time, period, late time.Duration, runs []time.Time, points ...int) {
	t.Helper()
	require.Len(t, runs, len(points), "runs")
	for i, k := range points {
		due := start.Add(time.Duration(k) * period)
		require.WithinRange(t, runs[i], due, due.Add(late), "run %d, for point %d", i, k)
	}
}

// upTo returns 1 to n.
func upTo(n int) (points []int) {
	for k := range n {
		points = append(points, k+1)
	}
	return points
}

func TestEveryRunsOnItsGridAndNeverDrifts(t *testing.T) {
	for _, period := range []time.Duration{2 * oneTick, aPeriod, time.Second + 1, time.Hour - 1} {
		t.Run(period.String(), func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
				if period < late {
					t.Skip("the pool delays for longer than the period")
				}
				log, start := new(runLog), time.Now()
				tm.Every(period, log.note)
				pass(1000*period + late)
				assertOnGrid(t, start, period, late, log.times(), upTo(1000)...)
			})
		})
	}
}

func TestEveryWithAPeriodShorterThanATickRunsOnceATick(t *testing.T) {
	for _, period := range []time.Duration{1, oneTick / 3, oneTick - 1} {
		t.Run(period.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				log := new(runLog)
				tm.Every(period, log.note)
				pass(100*oneTick + oneTick/2)
				runs := log.times()
				assert.Len(t, runs, 100)
				for i := range runs[1:] {
					assert.GreaterOrEqual(t, runs[i+1].Sub(runs[i]), oneTick)
				}
			})
		})
	}
}

// The second run ends half-way between the fifth point and the sixth.
func TestEverySkipsThePointsThatASlowRunCovered(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log, start := new(runLog), time.Now()
		tm.Every(aPeriod, func() {
			if log.note(); log.count() == 2 {
				time.Sleep(3*aPeriod + aPeriod/2)
			}
		})
		pass(8*aPeriod + late)
		assertOnGrid(t, start, aPeriod, late, log.times(), 1, 2, 6, 7, 8)
	})
}

func TestEveryNeverOverlapsItself(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
		var running, runs atomic.Int64
		series := tm.Every(aPeriod, func() {
			assert.Equal(t, int64(1), running.Add(1))
			runs.Add(1)
			time.Sleep(rand.N(3 * aPeriod))
			running.Add(-1)
		})
		for range 500 {
			pass(rand.N(aPeriod))
			if rand.IntN(10) == 0 {
				series.Reset(rand.N(aPeriod))
			}
		}
		assert.Greater(t, runs.Load(), int64(50))
		series.Stop()
		pass(4 * aPeriod)
		assert.Zero(t, running.Load())
	})
}

func TestEveryRunsNoBurstAfterAStall(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		log, start := new(runLog), time.Now()
		tm.Every(aPeriod, log.note)
		tm.AfterFunc(2*aPeriod+2*oneTick, func() { time.Sleep(50 * aPeriod) })
		pass(55*aPeriod + oneTick)
		runs := log.times()
		require.Len(t, runs, 6)
		assertOnGrid(t, start, aPeriod, oneTick, runs[:2], 1, 2)
		stallEnd := start.Add(52*aPeriod + 2*oneTick)
		assert.WithinRange(t, runs[2], stallEnd, stallEnd.Add(2*oneTick), "one for all that were missed")
		assertOnGrid(t, start, aPeriod, oneTick, runs[3:], 53, 54, 55)
	}, onWorker)
}

func TestEverySurvivesAPanic(t *testing.T) {
	var told []*hashedwheel.Timeout
	handler := hashedwheel.WithPanicHandler(func(to *hashedwheel.Timeout, _ any) { told = append(told, to) })
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		told = nil
		log, start := new(runLog), time.Now()
		series := tm.Every(aPeriod, func() {
			if log.note(); log.count()%2 == 0 {
				panic("on purpose")
			}
		})
		pass(6*aPeriod + late)
		assertOnGrid(t, start, aPeriod, late, log.times(), upTo(6)...)
		assert.Equal(t, []*hashedwheel.Timeout{series, series, series}, told)
		assert.Equal(t, uint64(3), tm.Stats().Panics)
	}, handler)
}

func TestEverySurvivesGoexit(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log, start := new(runLog), time.Now()
		tm.Every(aPeriod, func() {
			if log.note(); log.count()%2 == 0 {
				runtime.Goexit()
			}
		})
		pass(6*aPeriod + late)
		assertOnGrid(t, start, aPeriod, late, log.times(), upTo(6)...)
	})
}

func TestEveryEndsWithStop(t *testing.T) {
	for moment, at := range map[string]time.Duration{
		"at once":             0,
		"before the first":    aPeriod / 2,
		"between two runs":    3*aPeriod + aPeriod/2,
		"just before a point": 4*aPeriod - 1,
	} {
		t.Run(moment, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
				log := new(runLog)
				series := tm.Every(aPeriod, log.note)
				pass(at)
				before := log.count()
				assert.Equal(t, int(at/aPeriod), before)
				assert.True(t, series.Stop())
				assert.False(t, series.Stop(), "the second time")
				assert.Equal(t, hashedwheel.Cancelled, series.State())
				assert.Zero(t, tm.Pending())
				pass(10 * aPeriod)
				assert.Equal(t, before, log.count(), "runs after Stop")
				assert.Equal(t, uint64(before), tm.Stats().Expired)
			})
		})
	}
}

func TestEveryEndsWithStopFromInside(t *testing.T) {
	for way, end := range map[string]func(){
		"and returns":  nop,
		"and panics":   func() { panic("on purpose") },
		"and exits":    runtime.Goexit,
		"and is slow":  func() { time.Sleep(5 * aPeriod) },
		"and rests on": func() { time.Sleep(aPeriod - oneTick) },
	} {
		t.Run(way, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
				log := new(runLog)
				series := everyKnowing(tm, aPeriod, func(series *hashedwheel.Timeout) {
					if log.note(); log.count() == 3 {
						assert.Equal(t, 1, tm.Pending())
						assert.True(t, series.Stop())
						assert.False(t, series.Stop(), "the second time")
						assert.Zero(t, tm.Pending())
						end()
					}
				})
				pass(20 * aPeriod)
				assert.Equal(t, 3, log.count())
				assert.Equal(t, hashedwheel.Cancelled, series.State())
				assert.Equal(t, uint64(3), tm.Stats().Expired)
			}, hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
		})
	}
}

// From outside, while f runs; then while the run is on for which it was skipped.
func TestEveryEndsWithStopDuringARun(t *testing.T) {
	for moment, at := range map[string]time.Duration{
		"before the next point": aPeriod + aPeriod/2,
		"after a skipped point": 2*aPeriod + aPeriod/2,
	} {
		t.Run(moment, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
				var begun, ended atomic.Int64
				series := tm.Every(aPeriod, func() {
					begun.Add(1)
					time.Sleep(3 * aPeriod)
					ended.Add(1)
				})
				pass(at)
				assert.True(t, series.Stop())
				assert.Equal(t, int64(1), begun.Load())
				assert.Zero(t, ended.Load(), "Stop does not wait")
				pass(20 * aPeriod)
				assert.Equal(t, int64(1), begun.Load())
				assert.Equal(t, int64(1), ended.Load())
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

func TestEveryEndsWithStopBetweenExpiryAndRun(t *testing.T) {
	onHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *heldBack) {
		log := new(runLog)
		series := tm.Every(aPeriod, log.note)
		pass(aPeriod + oneTick)
		assert.True(t, series.Stop(), "the run that is held back is prevented")
		assert.False(t, series.Stop())
		assert.Equal(t, hashedwheel.Cancelled, series.State())
		pass(5 * aPeriod)
		assert.Equal(t, 1, pool.release())
		pass(5 * aPeriod)
		assert.Zero(t, pool.release())
		assert.Zero(t, log.count())
		assert.Zero(t, tm.Pending())
		assert.Equal(t, hashedwheel.Cancelled, series.State())
	})
}

func TestEveryTellsTheDeadlineOfTheRunThatHasComeDue(t *testing.T) {
	onHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *heldBack) {
		start := time.Now()
		var inside time.Time
		series := everyKnowing(tm, aPeriod, func(series *hashedwheel.Timeout) {
			inside = series.Deadline()
			pass(3 * aPeriod)
		})
		assert.Equal(t, start.Add(aPeriod), series.Deadline())
		pass(aPeriod + oneTick)
		assert.Equal(t, start.Add(aPeriod), series.Deadline(), "it is with the executor")
		go pool.release()
		pass(aPeriod + oneTick)
		assert.Equal(t, start.Add(2*aPeriod), inside)
		assert.Equal(t, start.Add(2*aPeriod), series.Deadline(), "it came due during the first")
		series.Stop()
		assert.Equal(t, start.Add(2*aPeriod), series.Deadline(), "the one that was stopped")
		pass(3 * aPeriod)
	})
}

func TestEveryBeginsAgainWithResetBetweenStopAndTheRunHeldBack(t *testing.T) {
	onHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *heldBack) {
		log, start := new(runLog), time.Now()
		series := tm.Every(aPeriod, log.note)
		pass(aPeriod + oneTick)
		assert.True(t, series.Stop())
		assert.False(t, series.Reset(aPeriod))
		assert.Equal(t, 1, pool.release())
		assert.Zero(t, log.count(), "the run that was stopped")
		assert.Equal(t, hashedwheel.Pending, series.State())
		pass(aPeriod + oneTick)
		assert.Equal(t, 1, pool.release())
		assert.Equal(t, 1, log.count())
		pass(time.Until(start.Add(3 * aPeriod).Add(oneTick)))
		assert.Equal(t, 1, pool.release(), "the grid goes on")
	})
}

func TestEveryRunsOnceWhenResetBetweenExpiryAndRun(t *testing.T) {
	onHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *heldBack) {
		log := new(runLog)
		series := tm.Every(aPeriod, log.note)
		pass(aPeriod + oneTick)
		series.Reset(aPeriod / 2)
		assert.Equal(t, 1, pool.release())
		assert.Zero(t, log.count(), "moved")
		pass(aPeriod/2 + oneTick)
		series.Reset(aPeriod / 2)
		pass(aPeriod/2 + oneTick)
		assert.Equal(t, 2, pool.release(), "the run that was moved, and what it was moved to")
		assert.Equal(t, 1, log.count())
	})
}

// A Reset to the very time of the run that it makes void is no run that was
// skipped.
func TestEveryRunsOnceWhenResetToNowBetweenExpiryAndRun(t *testing.T) {
	clock, pool := hashedwheel.NewManualClock(time.Unix(0, 0)), new(heldBack)
	tm := newTickingTimer(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(pool))
	defer tm.Stop()
	runs := 0
	series := tm.Every(10*oneTick, func() { runs++ })
	clock.Advance(10 * oneTick)
	assert.Equal(t, 1, pool.release())
	clock.Advance(10 * oneTick)
	assert.True(t, series.Reset(0))
	assert.Equal(t, 1, pool.release())
	assert.Equal(t, 1, runs, "the second was moved")
	clock.Advance(oneTick)
	assert.Equal(t, 1, pool.release())
	assert.Equal(t, 2, runs)
}

func TestEveryRestsAfterAResetToNeverBetweenExpiryAndRun(t *testing.T) {
	onHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *heldBack) {
		log := new(runLog)
		series := tm.Every(aPeriod, log.note)
		pass(aPeriod + oneTick)
		series.Reset(math.MaxInt64)
		pool.release()
		pass(10 * aPeriod)
		pool.release()
		assert.Zero(t, log.count())
		assert.True(t, series.Stop())
	})
}

// A series that waits for somebody to Reset it.
func TestEveryRestsAfterAResetToNeverFromInside(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log := new(runLog)
		series := everyKnowing(tm, aPeriod, func(series *hashedwheel.Timeout) {
			log.note()
			assert.True(t, series.Reset(math.MaxInt64))
		})
		pass(20 * aPeriod)
		assert.Equal(t, 1, log.count())
		assert.True(t, series.Reset(0))
		pass(20 * aPeriod)
		assert.Equal(t, 2, log.count())
		assert.True(t, series.Stop())
	})
}

func TestEveryEndsWithTheTimerBetweenExpiryAndRun(t *testing.T) {
	onHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *heldBack) {
		log := new(runLog)
		series := tm.Every(aPeriod, log.note)
		pass(aPeriod + oneTick)
		assert.Equal(t, []*hashedwheel.Timeout{series}, tm.Stop())
		assert.Equal(t, 1, pool.release())
		assert.Zero(t, log.count(), "what Stop returned does not run")
		assert.Equal(t, hashedwheel.Cancelled, series.State())
		assert.False(t, series.Stop())
		pass(10 * aPeriod)
		assert.Zero(t, pool.release())
	})
}

func TestEveryCountsAsOnePending(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
		series := everyKnowing(tm, aPeriod, func(series *hashedwheel.Timeout) {
			assert.Equal(t, 1, tm.Pending(), "in a run")
			assert.Equal(t, hashedwheel.Pending, series.State(), "in a run")
			time.Sleep(2 * aPeriod)
		})
		for range 100 {
			pass(aPeriod / 5)
			require.Equal(t, 1, tm.Pending())
			require.Equal(t, hashedwheel.Pending, series.State())
		}
		series.Stop()
		pass(2 * aPeriod)
		assert.Zero(t, tm.Pending())
	})
}

// However long the executor keeps the run waiting.
func TestEveryCountsAsOnePendingBetweenExpiryAndRun(t *testing.T) {
	onHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *heldBack) {
		series := tm.Every(aPeriod, nop)
		pass(aPeriod + oneTick)
		assert.Equal(t, hashedwheel.Pending, series.State())
		assert.Equal(t, 1, tm.Pending())
		assert.Equal(t, 1, pool.release())
		assert.Equal(t, 1, tm.Pending())
	})
}

func TestEveryKeepsItsPlaceUnderABound(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log, start := new(runLog), time.Now()
		series := tm.Every(aPeriod, log.note)
		require.Equal(t, hashedwheel.Rejected, tm.Every(aPeriod, nop).State(), "the bound is one")
		for range 20 * 10 {
			pass(aPeriod / 10)
			require.Equal(t, hashedwheel.Rejected, tm.AfterFunc(time.Hour, nop).State())
		}
		pass(late)
		assertOnGrid(t, start, aPeriod, late, log.times(), upTo(20)...)
		assert.True(t, series.Stop())
		assert.Zero(t, tm.Pending())
		assert.Equal(t, hashedwheel.Pending, tm.AfterFunc(time.Hour, nop).State(), "the place is free again")
		assert.Equal(t, hashedwheel.Rejected, tm.AfterFunc(time.Hour, nop).State(), "and is one")
	}, hashedwheel.WithMaxPending(1))
}

func TestEveryKeepsItsPlaceBetweenExpiryAndRun(t *testing.T) {
	onHeldBack(t, func(t *testing.T, tm *hashedwheel.Timer, pool *heldBack) {
		log := new(runLog)
		series := tm.Every(aPeriod, log.note)
		pass(aPeriod + oneTick)
		assert.Equal(t, hashedwheel.Rejected, tm.AfterFunc(time.Hour, nop).State())
		series.Reset(aPeriod)
		assert.Equal(t, hashedwheel.Pending, series.State(), "not refused")
		pool.release()
		pass(aPeriod + oneTick)
		pool.release()
		assert.Equal(t, 1, log.count())
		pass(aPeriod + oneTick)
		assert.True(t, series.Stop())
		assert.Equal(t, hashedwheel.Pending, tm.AfterFunc(time.Hour, nop).State(), "the place is free again")
	}, hashedwheel.WithMaxPending(1))
}

func TestEveryIsMovedByResetAndGoesOnOnItsGrid(t *testing.T) {
	for _, move := range []struct {
		name   string
		at, to time.Duration // from the start
		points []int         // after the run that was moved
	}{
		{"the first, earlier", aPeriod / 4, aPeriod / 2, []int{1, 2, 3, 4}},
		{"the first, later", aPeriod / 2, aPeriod + aPeriod/2, []int{2, 3, 4}},
		{"another, earlier", 2*aPeriod + aPeriod/3, 2*aPeriod + aPeriod/2, []int{3, 4}},
		{"another, over two points", 2*aPeriod + aPeriod/3, 4*aPeriod + aPeriod/2, []int{5}},
		{"to the next tick", 2*aPeriod + aPeriod/3, 2*aPeriod + aPeriod/3, []int{3, 4}},
	} {
		t.Run(move.name, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
				log, start := new(runLog), time.Now()
				series := tm.Every(aPeriod, log.note)
				pass(move.at)
				before := log.count()
				assert.True(t, series.Reset(move.to-move.at))
				last := move.points[len(move.points)-1]
				pass(time.Until(start.Add(time.Duration(last)*aPeriod + late)))
				runs := log.times()[before:]
				assertOnGrid(t, start.Add(move.to), 0, late, runs[:1], 1)
				assertOnGrid(t, start, aPeriod, late, runs[1:], move.points...)
				assert.Equal(t, 1, tm.Pending())
			})
		})
	}
}

func TestEveryIsMovedByResetFromInside(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log, start := new(runLog), time.Now()
		everyKnowing(tm, aPeriod, func(series *hashedwheel.Timeout) {
			if log.note(); log.count() == 1 {
				assert.True(t, series.ResetAt(start.Add(4*aPeriod+aPeriod/2)))
			}
		})
		pass(6*aPeriod + late)
		runs := log.times()
		require.Len(t, runs, 4)
		assertOnGrid(t, start, aPeriod/2, late, runs, 2, 9, 10, 12)
	})
}

func TestEveryBeginsAgainWithReset(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log, start := new(runLog), time.Now()
		series := tm.Every(aPeriod, log.note)
		pass(aPeriod / 2)
		series.Stop()
		pass(3 * aPeriod)
		assert.False(t, series.Reset(aPeriod))
		pass(2*aPeriod + aPeriod/2 + late)
		assertOnGrid(t, start, aPeriod/2, late, log.times(), 9, 10, 12)
	})
}

func TestEveryEndsWithTheTimer(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log := new(runLog)
		series := tm.Every(aPeriod, log.note)
		pass(3*aPeriod + late)
		assert.Equal(t, []*hashedwheel.Timeout{series}, tm.Stop())
		assert.Equal(t, hashedwheel.Cancelled, series.State())
		assert.False(t, series.Stop())
		assert.False(t, series.Reset(oneTick))
		assert.Equal(t, hashedwheel.Rejected, series.State())
		pass(10 * aPeriod)
		assert.Equal(t, 3, log.count())
	})
}

func TestEveryEndsWithTheTimerFromInside(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log := new(runLog)
		series := everyKnowing(tm, aPeriod, func(series *hashedwheel.Timeout) {
			if log.note(); log.count() == 3 {
				assert.Equal(t, []*hashedwheel.Timeout{series}, tm.Stop())
			}
		})
		pass(20 * aPeriod)
		assert.Equal(t, 3, log.count())
		assert.Equal(t, hashedwheel.Cancelled, series.State())
	})
}

func TestEveryIsWaitedForByShutdownWhileItRuns(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		ended := false
		series := tm.Every(aPeriod, func() {
			time.Sleep(10 * aPeriod)
			ended = true
		})
		pass(aPeriod + late)
		left, err := tm.Shutdown(t.Context())
		require.NoError(t, err)
		assert.True(t, ended)
		assert.Equal(t, []*hashedwheel.Timeout{series}, left)
	})
}

func TestEveryOnAStoppedTimerIsRejected(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.Stop()
		series := tm.Every(aPeriod, nop)
		assert.Equal(t, hashedwheel.Rejected, series.State())
		assert.False(t, series.Stop())
		pass(2 * aPeriod)
		assert.Zero(t, tm.Stats().Expired)
	})
}

func TestEveryPanicsOnProgrammerErrors(t *testing.T) {
	tm := newTickingTimer()
	for _, period := range []time.Duration{0, -1, math.MinInt64} {
		assert.PanicsWithValue(t, "hashedwheel: Every with a period that is not positive", func() { tm.Every(period, nop) })
	}
	assert.PanicsWithValue(t, "hashedwheel: Every with a nil func", func() { tm.Every(time.Second, nil) })
	assert.PanicsWithValue(t, "hashedwheel: Recur with a nil func", func() { tm.Recur(new(agenda), nil) })
	assert.PanicsWithValue(t, "hashedwheel: Recur with a nil Scheduler", func() { tm.Recur(nil, nop) })
	assert.Zero(t, tm.Pending())
}

func TestEveryWithAPeriodOutOfReachNeverRunsAndIsPending(t *testing.T) {
	for _, period := range []time.Duration{20 * 365 * 24 * time.Hour, math.MaxInt64 - 1, math.MaxInt64} {
		inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
			series := tm.Every(period, nop)
			pass(365 * 24 * time.Hour)
			assert.Equal(t, 1, tm.Pending())
			assert.Zero(t, tm.Stats().Expired)
			assert.True(t, series.Stop())
		})
	}
}

func TestEveryRunsOnceWhenTheClockJumpsForward(t *testing.T) {
	for _, jump := range []time.Duration{aPeriod, 100*aPeriod + aPeriod/2, 100 * 24 * time.Hour} {
		t.Run("by "+jump.String(), func(t *testing.T) {
			onSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *steppingClock) {
				log, start := new(runLog), clock.Now()
				series := tm.Every(aPeriod, log.noteBy(clock))
				pass(aPeriod + aPeriod/2)
				clock.step(jump)
				landed := clock.Now()
				synctest.Wait()
				require.Equal(t, 2, log.count(), "one run for all that were jumped over")
				assert.Equal(t, landed, log.times()[1])
				pass(2 * aPeriod)
				k := int(landed.Sub(start) / aPeriod)
				assertOnGrid(t, start, aPeriod, oneTick, log.times()[2:], k+1, k+2)
				series.Stop()
			})
		})
	}
}

func TestEveryWaitsForItsPointWhenTheClockStepsBack(t *testing.T) {
	for _, back := range []time.Duration{1, oneTick, aPeriod, 100 * aPeriod} {
		t.Run("by "+back.String(), func(t *testing.T) {
			onSteppingClock(t, func(t *testing.T, tm *hashedwheel.Timer, clock *steppingClock) {
				log, start := new(runLog), clock.Now()
				tm.Every(aPeriod, log.noteBy(clock))
				pass(3*aPeriod + aPeriod/2)
				clock.step(-back)
				pass(back + 3*aPeriod)
				assertOnGrid(t, start, aPeriod, oneTick, log.times(), upTo(6)...)
			})
		})
	}
}

func TestEveryRunsAtEachHourOfADayOnAManualClock(t *testing.T) {
	for name, opts := range map[string][]hashedwheel.Option{
		"in one go, on the worker": {onWorker},
		"in one go, Inline":        {hashedwheel.WithExecutor(hashedwheel.Inline{})},
		"with one bucket":          {hashedwheel.WithWheelSize(1)},
	} {
		t.Run(name, func(t *testing.T) {
			clock, tm := newManual(opts...)
			defer tm.Stop()
			clock.Advance(3 * time.Millisecond)
			var runs []time.Time
			start := clock.Now()
			series := tm.Every(time.Hour, func() { runs = append(runs, clock.Now()) })
			clock.Advance(24 * time.Hour)
			assertOnGrid(t, start, time.Hour, 10*time.Millisecond, runs, upTo(23)...)
			clock.Advance(10 * time.Millisecond)
			assertOnGrid(t, start, time.Hour, 10*time.Millisecond, runs, upTo(24)...)
			assert.Equal(t, 1, tm.Pending())
			assert.True(t, series.Stop())
			clock.Advance(24 * time.Hour)
			assert.Len(t, runs, 24)
		})
	}
}

func TestEveryIsQuietBetweenItsRuns(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
		series := tm.Every(time.Hour, nop)
		woken := wakeups(tm, 100*time.Hour)
		assert.LessOrEqual(t, woken, uint64(4*100), "wake-ups of 100 runs")
		series.Stop()
		pass(5 * oneTick)
		assert.Zero(t, libraryGoroutines())
	})
}

// repeating begins a series that holds a payload, and lets f end it.
//
//go:noinline
func repeating(tm *hashedwheel.Timer, f func(*hashedwheel.Timeout)) held {
	p := new(payload)
	series := tm.Every(aPeriod, func() { p[0]++ })
	f(series)
	return held{weak.Make(series), weak.Make(p)}
}

func TestEveryIsGarbageTwoTicksAfterStop(t *testing.T) {
	for moment, at := range map[string]time.Duration{"before the first": 0, "later": 5*aPeriod + aPeriod/2} {
		t.Run(moment, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
				tm.AfterFunc(2*time.Hour, nop) // nothing to do until then
				h := repeating(tm, func(series *hashedwheel.Timeout) {
					pass(at)
					require.True(t, series.Stop())
				})
				pass(2 * oneTick)
				h.assertGarbage(t)
				assert.Equal(t, 1, tm.Pending())
			})
		})
	}
}

// agenda is a Scheduler that gives the times of a list, then ends the series.
type agenda struct {
	times []time.Time
	asked []time.Time // when Next was called
}

func (a *agenda) Next(now time.Time) (next time.Time) {
	a.asked = append(a.asked, now)
	if len(a.times) > 0 {
		next, a.times = a.times[0], a.times[1:]
	}
	return next
}

// schedule is a function used as a Scheduler.
type schedule func(now time.Time) time.Time

func (s schedule) Next(now time.Time) time.Time { return s(now) }

// A Schedule of robfig/cron is a Scheduler.
var _ hashedwheel.Scheduler = interface {
	Next(time.Time) time.Time
}(schedule(nil))

func TestRecurAsksItsSchedulerForEachTime(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		log, start := new(runLog), time.Now()
		at := func(n int) time.Time { return start.Add(time.Duration(n) * aPeriod) }
		a := &agenda{times: []time.Time{at(1), at(5), at(6), at(100)}}
		tm.Recur(a, log.note)
		pass(200 * aPeriod)
		assertOnGrid(t, start, aPeriod, late, log.times(), 1, 5, 6, 100)
		assert.Equal(t, append([]time.Time{start}, log.times()...), a.asked, "once at the beginning, and before each run")
	})
}

func TestRecurEndsWhenItsSchedulerSaysSo(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
		log, start := new(runLog), time.Now()
		var self atomic.Pointer[hashedwheel.Timeout]
		series := tm.Recur(&agenda{times: []time.Time{start.Add(aPeriod), start.Add(2 * aPeriod)}}, func() {
			if log.note(); log.count() == 2 {
				assert.False(t, self.Load().Stop(), "it has ended, this is the last run")
				assert.Equal(t, hashedwheel.Cancelled, self.Load().State())
			}
		})
		self.Store(series)
		pass(20 * aPeriod)
		assert.Equal(t, 2, log.count())
		assert.Equal(t, hashedwheel.Cancelled, series.State())
		assert.False(t, series.Stop())
		assert.Zero(t, tm.Pending())
		assert.Zero(t, libraryGoroutines())
		assert.Equal(t, hashedwheel.Pending, tm.AfterFunc(time.Hour, nop).State(), "its place is free")
	}, hashedwheel.WithMaxPending(1))
}

func TestRecurDoesNotBeginWhenItsSchedulerSaysSo(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		log := new(runLog)
		series := tm.Recur(new(agenda), log.note)
		assert.Equal(t, hashedwheel.Idle, series.State())
		assert.False(t, series.Stop())
		pass(time.Hour)
		assert.Zero(t, log.count())
		assert.False(t, series.Reset(oneTick), "but Reset runs it once")
		pass(time.Hour)
		assert.Equal(t, 1, log.count())
		assert.Equal(t, hashedwheel.Cancelled, series.State())
	})
}

func TestRecurRunsOnceATickForTimesInThePast(t *testing.T) {
	for name, next := range map[string]schedule{
		"now":            func(now time.Time) time.Time { return now },
		"a while ago":    func(now time.Time) time.Time { return now.Add(-time.Hour) },
		"long ago":       func(time.Time) time.Time { return time.Unix(0, 0) },
		"out of reach":   func(time.Time) time.Time { return time.Time{}.Add(1) },
		"one of its own": func(now time.Time) time.Time { return now.Round(0).Add(-1) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				log := new(runLog)
				series := tm.Recur(next, log.note)
				other := tm.AfterFunc(50*oneTick, nop)
				pass(100*oneTick + oneTick/2)
				assert.InDelta(t, 100, log.count(), 1)
				assert.Equal(t, hashedwheel.Expired, other.State(), "others have their turn")
				assert.True(t, series.Stop())
			}, onWorker)
		})
	}
}

// The third call of Next is the one at the end of a run that covered the next.
func TestRecurBeginsAgainWithResetAfterItsSchedulerFailedAtTheEndOfARun(t *testing.T) {
	for way, fail := range map[string]func(){"panics": func() { panic("on purpose") }, "exits": runtime.Goexit} {
		t.Run(way, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
				log, calls := new(runLog), 0
				series := tm.Recur(schedule(func(now time.Time) time.Time {
					if calls++; calls == 3 {
						fail()
					}
					return now.Add(aPeriod)
				}), func() {
					if log.note(); log.count() == 1 {
						time.Sleep(2 * aPeriod)
					}
				})
				pass(10 * aPeriod)
				assert.Equal(t, 1, log.count())
				assert.Equal(t, 3, calls)
				assert.Equal(t, hashedwheel.Cancelled, series.State())
				series.Reset(oneTick)
				pass(2*aPeriod + aPeriod/2)
				assert.GreaterOrEqual(t, log.count(), 2)
			}, hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
		})
	}
}

// The second call of Next is at the beginning of a run, the third at the end of one
// that covered the next. What a Reset has begun meanwhile is not what ends.
func TestRecurLeavesAloneWhatWasResetBeforeItsSchedulerEndedIt(t *testing.T) {
	for last, when := range map[int]string{2: "at the beginning of a run", 3: "at the end of a run"} {
		t.Run(when, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				log, calls := new(runLog), 0
				var self atomic.Pointer[hashedwheel.Timeout]
				self.Store(tm.Recur(schedule(func(now time.Time) time.Time {
					if calls++; calls < last {
						return now.Add(aPeriod)
					}
					if calls == last {
						assert.True(t, self.Load().Reset(time.Hour))
					}
					return time.Time{}
				}), func() {
					if log.note(); log.count() < last-1 {
						time.Sleep(2 * aPeriod)
					}
				}))
				pass(10 * aPeriod)
				assert.Equal(t, last-2, log.count(), "the next was moved")
				assert.Equal(t, hashedwheel.Pending, self.Load().State())
				pass(time.Hour)
				assert.Equal(t, last-1, log.count())
				assert.Equal(t, hashedwheel.Cancelled, self.Load().State())
				assert.Zero(t, tm.Pending())
			})
		})
	}
}

// A calendar knows the time of day and no more.
func TestRecurFollowsACalendar(t *testing.T) {
	onTheHour := schedule(func(now time.Time) time.Time {
		return now.Round(0).Truncate(time.Hour).Add(time.Hour).In(time.FixedZone("elsewhere", 5*3600+1800))
	})
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, late time.Duration) {
		pass(17*time.Minute + 3)
		log, start := new(runLog), time.Now().Round(0).Truncate(time.Hour)
		tm.Recur(onTheHour, log.note)
		pass(24 * time.Hour)
		assertOnGrid(t, start, time.Hour, late, log.times(), upTo(24)...)
	})
}

func TestRecurWaitsForATimeOutOfReach(t *testing.T) {
	for name, far := range map[string]time.Time{
		"the year 9999":       time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC),
		"the end of the time": time.Unix(math.MaxInt64/2, 0),
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				series := tm.Recur(schedule(func(time.Time) time.Time { return far }), nop)
				pass(365 * 24 * time.Hour)
				assert.Equal(t, 1, tm.Pending())
				assert.Zero(t, tm.Stats().Expired)
				assert.True(t, series.Stop())
			})
		})
	}
}

func TestRecurPassesThePanicOfItsSchedulerOn(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		s := schedule(func(time.Time) time.Time { panic("on purpose") })
		assert.PanicsWithValue(t, "on purpose", func() { tm.Recur(s, nop) })
		assert.Zero(t, tm.Pending())
	})
}

// A Scheduler that fails does not say when to go on: only that series ends.
func TestRecurEndsWhenItsSchedulerFails(t *testing.T) {
	for way, fail := range map[string]func(){"panics": func() { panic("on purpose") }, "exits": runtime.Goexit} {
		t.Run(way, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
				log, other, calls := new(runLog), new(runLog), 0
				series := tm.Recur(schedule(func(now time.Time) time.Time {
					if calls++; calls == 3 {
						fail()
					}
					return now.Add(aPeriod)
				}), log.note)
				tm.Every(aPeriod, other.note)
				pass(10 * aPeriod)
				assert.Equal(t, 1, log.count())
				assert.GreaterOrEqual(t, other.count(), 9)
				assert.Equal(t, hashedwheel.Cancelled, series.State())
				assert.Equal(t, 1, tm.Pending())
				assert.False(t, series.Reset(oneTick), "Reset begins it again")
				pass(2*aPeriod + aPeriod/2 + oneTick)
				assert.GreaterOrEqual(t, log.count(), 3)
			}, hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
		})
	}
}

// Next takes longer than a run is away from the next, and f longer than that.
func TestRecurNeverCallsNextTwiceAtTheSameTime(t *testing.T) {
	onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
		var inside, calls atomic.Int64
		slow := schedule(func(now time.Time) time.Time {
			assert.Equal(t, int64(1), inside.Add(1))
			defer inside.Add(-1)
			calls.Add(1)
			time.Sleep(3 * aPeriod)
			return now.Add(aPeriod)
		})
		series := tm.Recur(slow, func() { time.Sleep(10 * aPeriod) })
		pass(100 * aPeriod)
		assert.Greater(t, calls.Load(), int64(5))
		series.Stop()
		pass(20 * aPeriod)
	})
}

func TestRecurCallsNextInEachRunAndAfterASlowOne(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		log, asked, start := new(runLog), new(runLog), time.Now()
		tm.Recur(schedule(func(now time.Time) time.Time {
			asked.note()
			return start.Add((now.Sub(start)/(10*oneTick) + 1) * 10 * oneTick)
		}), func() {
			log.note()
			time.Sleep(25 * oneTick)
		})
		pass(68 * oneTick)
		assertOnGrid(t, start, oneTick, 0, log.times(), 10, 40)
		assertOnGrid(t, start, oneTick, 0, asked.times(), 0, 10, 35, 40, 65)
	})
}

// rapid is a series that watches itself.
type rapid struct {
	*hashedwheel.Timeout
	running, overlaps, runs, stops atomic.Int64
}

func newRapid(tm *hashedwheel.Timer, period time.Duration) *rapid {
	s := new(rapid)
	s.Timeout = tm.Every(period, func() {
		if s.running.Add(1) > 1 {
			s.overlaps.Add(1)
		}
		s.runs.Add(1)
		time.Sleep(rand.N(300 * time.Microsecond))
		s.running.Add(-1)
	})
	return s
}

// poke does one of the things that may be done to a series.
func (s *rapid) poke() {
	switch rand.IntN(8) {
	case 0:
		if s.Stop() {
			s.stops.Add(1)
		}
	case 1:
		s.State()
	case 2:
		s.Timer().Pending()
	case 3:
		time.Sleep(50 * time.Microsecond)
	default:
		s.Reset(rand.N(time.Millisecond))
	}
}

func TestSeriesUnderFireNeverOverlapAndEndWithTheTimer(t *testing.T) {
	for name, e := range executors() {
		t.Run(name, func(t *testing.T) {
			tm := newStressed(e, hashedwheel.WithTick(100*time.Microsecond))
			all := make([]*rapid, 20)
			for i := range all {
				all[i] = newRapid(tm, 1+rand.N(3*time.Millisecond))
			}
			until := time.Now().Add(lasting(time.Second))
			var pokers sync.WaitGroup
			for range 4 {
				pokers.Go(func() {
					for time.Now().Before(until) {
						all[rand.IntN(len(all))].poke()
					}
				})
			}
			pokers.Wait()
			left := shutdown(t, tm)
			for _, s := range all {
				runs := s.runs.Load()
				assert.Positive(t, runs)
				assert.Positive(t, s.stops.Load())
				assert.Zero(t, s.overlaps.Load())
				assert.Zero(t, s.running.Load(), "Shutdown waited")
				assert.NotContains(t, []hashedwheel.State{hashedwheel.Pending, hashedwheel.Expired}, s.State())
				if slices.Contains(left, s.Timeout) {
					assert.Equal(t, hashedwheel.Cancelled, s.State())
				}
			}
		})
	}
}

// Whatever comes first, the run or Stop, none begins after Stop has returned
// but one that the executor had by then.
func TestSeriesRunNoMoreThanOnceAfterStop(t *testing.T) {
	tm := newStressed(nil, hashedwheel.WithTick(100*time.Microsecond))
	for until := time.Now().Add(lasting(time.Second / 2)); time.Now().Before(until); {
		var stopped atomic.Bool
		var late atomic.Int64
		series := tm.Every(1, func() {
			if stopped.Load() {
				late.Add(1)
			}
		})
		time.Sleep(rand.N(500 * time.Microsecond))
		require.True(t, series.Stop())
		stopped.Store(true)
		time.Sleep(300 * time.Microsecond)
		require.LessOrEqual(t, late.Load(), int64(1))
		require.Equal(t, hashedwheel.Cancelled, series.State())
	}
	shutdown(t, tm)
}

// What f itself asks for with Reset is not taken for a point that it covered.
func TestEveryRunsNextWhenResetFromInsideSays(t *testing.T) {
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		log, series := new(runLog), make(chan *hashedwheel.Timeout, 1)
		series <- tm.Every(100*oneTick, func() {
			if log.note(); log.count() == 1 {
				(<-series).Reset(0)
			}
		})
		pass(102 * oneTick)
		assert.Equal(t, 2, log.count())
		pass(100 * oneTick)
		assert.Equal(t, 3, log.count(), "then the grid goes on")
	})
}
