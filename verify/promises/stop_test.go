package promises

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// armedEverywhere arms timeouts that end up wherever a timeout can be.
func armedEverywhere(tm *hashedwheel.Timer) (all []*hashedwheel.Timeout) {
	for _, d := range timertest.DelaysAround(8) {
		if d > 10*timertest.Tick {
			all = append(all, tm.AfterFunc(d, timertest.Nop))
		}
	}
	timertest.Pass(5*timertest.Tick + timertest.Tick/2) // files them
	moved := all[:3]
	for i, to := range moved {
		to.Reset(time.Duration(1+i) * 20 * time.Hour)
	}
	for range 100 { // with -tags small, some of these are in the backlog
		all = append(all, tm.AfterFunc(time.Minute, timertest.Nop), tm.AfterFunc(1<<62, timertest.Nop))
	}
	return all
}

func TestNothingIsLostAtStop(t *testing.T) {
	for name, opts := range map[string][]hashedwheel.Option{
		"8 buckets":   {hashedwheel.WithWheelSize(8)},
		"512 buckets": {},
	} {
		t.Run(name, func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				all := armedEverywhere(tm)
				require.Equal(t, len(all), tm.Pending())
				assert.ElementsMatch(t, all, tm.Stop())
				for _, to := range all {
					assert.Equal(t, hashedwheel.Canceled, to.State())
				}
				assert.Zero(t, tm.Pending())
				assert.Equal(t, uint64(len(all)), tm.Stats().Canceled)
			}, opts...)
		})
	}
}

func TestNothingIsLostAtStopIfNothingWasFiledYet(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		to, stopped := tm.AfterFunc(0, timertest.Nop), tm.AfterFunc(0, timertest.Nop)
		stopped.Stop()
		assert.Equal(t, []*hashedwheel.Timeout{to}, tm.Stop())
		timertest.Pass(time.Second)
		assert.Zero(t, tm.Stats().Expired)
	})
}

func TestNothingIsLostAtStopExceptOtherOutcomes(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		expired, stopped := tm.AfterFunc(timertest.Tick, timertest.Nop), tm.AfterFunc(time.Hour, timertest.Nop)
		left := tm.AfterFunc(time.Hour, timertest.Nop)
		timertest.Pass(2 * timertest.Tick)
		stopped.Stop()
		assert.Equal(t, []*hashedwheel.Timeout{left}, tm.Stop())
		assert.Equal(t, hashedwheel.Expired, expired.State())
	})
}

func TestNothingIsLostAtStopOfAnArmingThatIsTooLate(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		to := timertest.Owned(tm, timertest.NopTask)
		to.Reset(time.Hour)
		tm.Stop()
		assert.False(t, to.Reset(timertest.Tick))
		assert.Equal(t, hashedwheel.Rejected, to.State())
		assert.False(t, to.ResetAt(time.Now()))
		assert.False(t, to.Stop())
		assert.Equal(t, hashedwheel.Rejected, tm.AfterFunc(timertest.Tick, timertest.Nop).State())
		late, err := tm.Schedule(timertest.Tick, timertest.NopTask)
		assert.Nil(t, late)
		require.ErrorIs(t, err, hashedwheel.ErrStopped)
		timertest.Pass(time.Second)
		assert.Zero(t, tm.Stats().Expired)
		assert.Equal(t, uint64(4), tm.Stats().Rejected)
		assert.Zero(t, tm.Pending())
	})
}

func TestNothingIsLostAtStopASecondTime(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		tm.AfterFunc(time.Hour, timertest.Nop)
		assert.Len(t, tm.Stop(), 1)
		assert.Empty(t, tm.Stop())
		left, err := tm.Shutdown(t.Context())
		assert.Empty(t, left)
		require.NoError(t, err)
	})
}

func TestNothingIsLostAtStopByManyGoroutines(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		all := armedEverywhere(tm)
		var mu sync.Mutex
		var left []*hashedwheel.Timeout
		var stops sync.WaitGroup
		for range 8 {
			stops.Go(func() {
				part := tm.Stop()
				mu.Lock()
				defer mu.Unlock()
				left = append(left, part...)
			})
		}
		stops.Wait()
		assert.ElementsMatch(t, all, left)
	})
}

// Each timeout that was armed while Stop ran is in its result or is Rejected;
// none is both, none is neither.
func TestNothingIsLostAtStopWhileOthersArm(t *testing.T) {
	for range 300 {
		timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
			var mu sync.Mutex
			var all []*hashedwheel.Timeout
			var started, producers sync.WaitGroup
			for range 3 {
				started.Add(1)
				producers.Go(func() {
					var mine []*hashedwheel.Timeout
					for i := range 300 {
						mine = append(mine, tm.AfterFunc(time.Hour, timertest.Nop))
						if i == 2 {
							started.Done()
						}
						if i%10 == 0 {
							runtime.Gosched() // let Stop come in between
						}
					}
					mu.Lock()
					defer mu.Unlock()
					all = append(all, mine...)
				})
			}
			started.Wait()
			left := tm.Stop()
			producers.Wait()
			var canceled []*hashedwheel.Timeout
			for _, to := range all {
				if to.State() != hashedwheel.Rejected {
					canceled = append(canceled, to)
				}
			}
			require.Equal(t, len(canceled), len(left))
			for _, to := range left {
				require.Equal(t, hashedwheel.Canceled, to.State())
			}
			require.Equal(t, uint64(len(all)-len(left)), tm.Stats().Rejected)
		})
	}
}

// More of one tick than the worker hands out between two looks at the world.
func TestNothingIsLostAtStopByATaskOfTheSameTick(t *testing.T) {
	for _, nth := range []int{1, 2, 64, 65, 500, 1000} {
		t.Run(fmt.Sprintf("by the task that comes as number %d", nth), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				const n = 1000
				ran, left := 0, 0
				for range n {
					tm.AfterFunc(5*timertest.Tick, func() {
						if ran++; ran == nth {
							left = len(tm.Stop())
						}
					})
				}
				timertest.Pass(time.Second)
				assert.Equal(t, nth, ran, "none starts after that")
				assert.Equal(t, n-nth, left)
				assert.Equal(t, uint64(nth), tm.Stats().Expired)
				assert.Equal(t, uint64(n-nth), tm.Stats().Canceled)
			}, timertest.OnWorker)
		})
	}
}

func TestNothingIsLostAtStopByATaskInAGoroutine(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const n = 1000
		var ran, left atomic.Int64
		for range n {
			tm.AfterFunc(5*timertest.Tick, func() {
				if ran.Add(1) == n/2 {
					left.Add(int64(len(tm.Stop())))
				}
			})
		}
		timertest.Pass(time.Second)
		assert.Equal(t, int64(n), ran.Load()+left.Load())
	})
}

// With -tags small the worker has taken a backlog from its producers, but filed little of it.
func TestNothingIsLostAtStopOfABacklog(t *testing.T) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		left := 0
		tm.AfterFunc(10*timertest.Tick, func() { left = len(tm.Stop()) })
		tm.AfterFunc(5*timertest.Tick, func() { time.Sleep(5 * timertest.Tick) })
		time.Sleep(5*timertest.Tick + timertest.Tick/2)
		for range 1000 {
			tm.AfterFunc(time.Hour, timertest.Nop)
		}
		timertest.Pass(time.Minute)
		assert.Equal(t, 1000, left)
	}, timertest.OnWorker)
}

func TestNothingIsLostAtStopIfATaskArmedItselfAgain(t *testing.T) {
	for _, pending := range []bool{false, true} {
		t.Run(fmt.Sprintf("Pending called=%v", pending), func(t *testing.T) {
			timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				to := timertest.Owned(tm, hashedwheel.TaskFunc(func(self *hashedwheel.Timeout) {
					self.Reset(time.Hour)
					if pending {
						assert.Equal(t, 1, tm.Pending())
					}
					assert.Equal(t, []*hashedwheel.Timeout{self}, tm.Stop())
				}))
				to.Reset(timertest.Tick)
				timertest.Pass(timertest.Tick)
				assert.Equal(t, hashedwheel.Canceled, to.State())
				to.Reset(timertest.Tick)
				assert.Equal(t, hashedwheel.Rejected, to.State(), "that came too late")
			}, timertest.OnWorker)
		})
	}
}
