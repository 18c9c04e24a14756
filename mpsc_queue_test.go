package hashedwheel

import (
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// take takes the timeouts of the first stripe that is not empty.
func (q *mpscQueue) take() *Timeout {
	for _, l := range q.lanes() {
		for i := range l.stripes {
			if list := l.stripes[i].take(); list != nil {
				return list
			}
		}
	}
	return nil
}

// A lost timeout would never run, although its push was accepted. A timeout that is taken twice would corrupt its list.
func TestEveryPushIsEitherTakenOrRefused(t *testing.T) {
	const producers, each = 8, 4000
	for round := range 4 {
		q := new(mpscQueue)
		q.init(ms)
		all := make([]Timeout, producers*each)
		taken, refusals := make([]int, len(all)), make([]int, len(all))
		index := func(to *Timeout) int {
			return int((uintptr(unsafe.Pointer(to)) - uintptr(unsafe.Pointer(&all[0]))) / unsafe.Sizeof(all[0]))
		}
		var pushed atomic.Int64
		var done sync.WaitGroup
		for p := range producers {
			done.Go(func() {
				// Producers push neighbors in memory, so they meet on stripes.
				for i := p; i < len(all); i += producers {
					if _, ok := q.push(&all[i], q.lanes()[p%2]); !ok {
						refusals[i]++
					}
					pushed.Add(1)
				}
			})
		}
		count := func(list *Timeout) {
			for ; list != nil; list = list.link {
				taken[index(list)]++
			}
		}
		for limit := int64(len(all) * (round + 1) / 5); pushed.Load() < limit; runtime.Gosched() {
			count(q.take())
		}
		for _, list := range q.close() {
			count(list)
		}
		done.Wait()
		for i := range all {
			require.Equal(t, 1, taken[i]+refusals[i],
				"timeout %d was taken %d times, refused %d times", i, taken[i], refusals[i])
		}
	}
}

// skipIfSmall skips tests that depend on how many pushes are counted.
func skipIfSmall(t *testing.T) {
	if limits.Deep < 1000 {
		t.Skip("with -tags small the limits are so low that more pushes are counted")
	}
}

// deepest returns the depth of the deepest stripe.
func deepest(l *lane) (depth int32) {
	for i := range l.stripes {
		depth = max(depth, l.stripes[i].depth.Load())
	}
	return depth
}

// Timeouts are counted by their addresses: fields of larger structs in a row are counted as often as others.
func TestOnePushInAFewDozenIsCountedWhateverTheDistanceBetweenTimeouts(t *testing.T) {
	skipIfSmall(t)
	const n = 1 << 14
	for _, distance := range []int{48, 64, 256, 320, 8192} {
		t.Run(fmt.Sprintf("%d bytes", distance), func(t *testing.T) {
			memory := make([]byte, n*distance)
			counted, since := 0, 0
			for i := range n {
				since++
				if isCounted((*Timeout)(unsafe.Pointer(&memory[i*distance]))) {
					counted++
					since = 0
				}
				require.Less(t, since, 2000, "pushes between two counted ones")
			}
			assert.Greater(t, counted, n/128)
			assert.Less(t, counted, n/32)
		})
	}
}

// Only the producer can file here: the timer has no worker goroutine, and the test does not call Advance.
func TestProducerFilesItsStripeOnceTheStripeIsDeep(t *testing.T) {
	const n = 4 * limits.Full
	g, tm := newGuarded()
	tm.queue.makeStripes(8) // the same on every machine
	most := int32(0)
	for range n {
		tm.AfterFunc(time.Hour, func() {})
		most = max(most, deepest(&tm.queue.far.lane))
	}
	assert.LessOrEqual(t, most, 2*tm.queue.far.fileAt)
	assert.Greater(t, g.wheel.count, n/4)
	assert.Equal(t, n, tm.Pending())
}

// Of two producers that wait for their turn, the first files the stripe, and the second finds it filed.
func TestProducersWaitForTheLockOneAtATime(t *testing.T) {
	g, tm := newGuarded()
	tm.queue.makeStripes(1)
	const waiting = 3 * portion
	all := newTimeouts(waiting)
	for _, to := range all {
		to.InitFunc(tm, func() {}).beginNew(int64(time.Hour))
		tm.queue.push(to, &tm.queue.near)
	}
	near := &tm.queue.near
	near.stripes[0].depth.Store(near.fileAt)
	var running, done sync.WaitGroup
	g.mu.Lock()
	for range 2 {
		running.Add(1)
		done.Go(func() {
			running.Done()
			tm.help(near, all[0], near.fileAt)
		})
	}
	running.Wait()
	time.Sleep(50 * time.Millisecond) // for both to wait; a sooner unlock could only hide a mistake
	g.mu.Unlock()
	done.Wait()
	assert.Equal(t, 2*portion, g.wheel.count)
}
