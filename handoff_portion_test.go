package hashedwheel_test

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

// Every tick has a slow task, for hundreds of ticks. The goroutines are those
// that block, and the worker. Until the portions have grown, others wait for a
// second slow task, or a third.
func TestHandoffInEveryTick(t *testing.T) {
	for _, took := range []time.Duration{2 * oneTick, 50 * oneTick} {
		for _, n := range []int{1, 10, 100} {
			t.Run(fmt.Sprintf("slow ones take %v, %d others a tick", took, n), func(t *testing.T) {
				inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
					const first, ticks = 20, 300
					var growing, grown punctuality
					armSlowTicks(tm, 0, first, n, took, &growing)
					armSlowTicks(tm, first, ticks, n, took, &grown)
					most := 0
					for range ticks / 10 {
						pass(10 * oneTick)
						most = max(most, libraryGoroutines())
					}
					pass(100 * oneTick)
					growing.assert(t, first*n, 9*oneTick/2)
					grown.assert(t, (ticks-first)*n, 2*oneTick)
					assert.LessOrEqual(t, most, int(took/oneTick)+3)
					assert.Zero(t, libraryGoroutines())
				})
			})
		}
	}
}

// armSlowTicks arms one slow task and n others in every tick of a range.
func armSlowTicks(tm *hashedwheel.Timer, from, to, n int, took time.Duration, others *punctuality) {
	for i := from; i < to; i++ {
		d := time.Duration(5+i) * oneTick
		siblings(tm, 1+n, d, func() { time.Sleep(took) }, others.since(time.Now().Add(d)))
	}
}

// Each worker blocks in turn, and they return in either order.
func TestHandoffOfAWheelThatWasHandedOn(t *testing.T) {
	const slow, n = 5, 400 // more than the goroutines that five hand-overs start
	for name, took := range map[string]func(turn int32) time.Duration{
		"the first to block returns first": func(int32) time.Duration { return 100 * oneTick },
		"the last to block returns first":  func(turn int32) time.Duration { return time.Duration(100-10*turn) * oneTick },
	} {
		t.Run(name, func(t *testing.T) {
			inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var others punctuality
				var turn, blocked atomic.Int32
				note := others.since(time.Now().Add(5 * oneTick))
				for range n {
					tm.AfterFunc(5*oneTick, func() {
						if i := turn.Add(1); i%60 == 1 && blocked.Add(1) <= slow {
							time.Sleep(took(i / 60))
							return
						}
						note()
					})
				}
				pass(5*oneTick + 2*slow*oneTick)
				others.assert(t, n-slow, slow*3*oneTick/2+oneTick)
				assert.Zero(t, tm.Pending())
				pass(100 * oneTick)
				assert.Zero(t, libraryGoroutines())
			})
		})
	}
}

// Those behind a slow task go to goroutines in growing portions.
func TestHandoffOfTenThousandSlowTasks(t *testing.T) {
	for name, end := range map[string]func(){"sleep": func() {}, "sleep and call Goexit": runtime.Goexit, "sleep and panic": panicHere} {
		t.Run(name, func(t *testing.T) {
			inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				const n = 10_000
				var done punctuality
				note := done.since(time.Now().Add(5 * oneTick))
				for range n {
					tm.AfterFunc(5*oneTick, func() {
						time.Sleep(time.Second)
						note()
						end()
					})
				}
				pass(2 * time.Second)
				done.assert(t, n, time.Second+15*oneTick)
				assert.LessOrEqual(t, tm.Stats().Handoffs, uint64(10))
				assert.Zero(t, libraryGoroutines())
			}, hashedwheel.WithPanicHandler(func(*hashedwheel.Timeout, any) {}))
		})
	}
}

// A few slow tasks, far apart, hold up the rest no longer than if all were slow.
func TestHandoffOfAFewSlowTasksAmongMany(t *testing.T) {
	for _, every := range []int32{100, 600, 3000} {
		t.Run(fmt.Sprintf("one in %d", every), func(t *testing.T) {
			inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var others punctuality
				var turn atomic.Int32
				note := others.since(time.Now().Add(5 * oneTick))
				for range 20 * every {
					tm.AfterFunc(5*oneTick, func() {
						if turn.Add(1)%every == 1 {
							time.Sleep(time.Second)
							return
						}
						note()
					})
				}
				pass(100 * oneTick)
				others.assert(t, int(20*every-20), 15*oneTick)
				pass(time.Second)
			})
		})
	}
}

// goroutineSet is the goroutines that called it, and how often.
type goroutineSet struct {
	mu   sync.Mutex
	runs map[string]int
}

func (s *goroutineSet) add() {
	buf := make([]byte, 24) // "goroutine 123456789 [run"
	id := string(buf[:runtime.Stack(buf, false)])
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.runs == nil {
		s.runs = make(map[string]int)
	}
	s.runs[id]++
}

func (s *goroutineSet) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.runs)
}

// One task in a crowd takes a little longer, as on a machine that is busy: a
// handful of goroutines, and after that tick none.
func TestHandoffAfterAFalseAlarmStartsAHandfulOfGoroutines(t *testing.T) {
	const n = 300_000
	for _, at := range []int32{1, 100, n / 2, n} {
		t.Run(fmt.Sprintf("at number %d of %d", at, n), func(t *testing.T) {
			inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
				var ran goroutineSet
				var turn atomic.Int32
				task := func() {
					i := turn.Add(1)
					if i == at {
						time.Sleep(8 * oneTick / 5)
					}
					if i >= at && i < at+500 || i%100 == 0 { // to look is not cheap
						ran.add()
					}
				}
				for range n {
					tm.AfterFunc(5*oneTick, task)
				}
				pass(20 * oneTick)
				assert.Equal(t, int32(n), turn.Load())
				assert.Equal(t, uint64(1), tm.Stats().Handoffs)
				assert.LessOrEqual(t, ran.count(), 2+8, "two workers and a handful")
				assertAllInline(t, tm)
			})
		})
	}
}

// assertAllInline sees that a tick's tasks run on one goroutine, one by one.
func assertAllInline(t *testing.T, tm *hashedwheel.Timer) {
	t.Helper()
	var ran goroutineSet
	count := 0 // no lock: they run one after another
	for range 1000 {
		tm.AfterFunc(oneTick, func() {
			count++
			ran.add()
		})
	}
	pass(2 * oneTick)
	assert.Equal(t, 1000, count)
	assert.Equal(t, 1, ran.count())
}

// However far the portions had grown.
func TestHandoffIsForgottenAfterATickWithoutSlowTasks(t *testing.T) {
	inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 3 {
			for range 5000 {
				tm.AfterFunc(5*oneTick, func() { time.Sleep(time.Second) })
			}
			pass(40 * oneTick)
			assertAllInline(t, tm) // and those that block still do
			handoffs := tm.Stats().Handoffs
			pass(2 * time.Second)
			assertAllInline(t, tm)
			assert.Equal(t, handoffs, tm.Stats().Handoffs)
		}
	})
}

// A false alarm after that starts no more than a handful again.
func TestHandoffIsForgottenSoANewAlarmStartsAHandful(t *testing.T) {
	inlineBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for range 5000 {
			tm.AfterFunc(oneTick, func() { time.Sleep(time.Second) })
		}
		pass(2 * time.Second)
		for range 10 {
			assertAllInline(t, tm)
		}
		var ran goroutineSet
		siblings(tm, 5000, oneTick, func() { time.Sleep(8 * oneTick / 5) }, ran.add)
		pass(10 * oneTick)
		assert.LessOrEqual(t, ran.count(), 1+8, "a worker and a handful")
	})
}
