package hashedwheel

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func newQueue() *mpscQueue {
	q := new(mpscQueue)
	q.init()
	return q
}

// newStripes returns a queue of n stripes, a power of two.
func newStripes(n int) *mpscQueue {
	q := new(mpscQueue)
	q.makeStripes(n)
	return q
}

// take takes the timeouts of the first stripe that is not empty.
func (q *mpscQueue) take() *Timeout {
	for _, l := range q.lanes() {
		for i := range l.stripes {
			if list, _ := l.stripes[i].take(); list != nil {
				return list
			}
		}
	}
	return nil
}

// linkedFrom returns the timeouts of a list that take or close returned.
func linkedFrom(head *Timeout) (all []*Timeout) {
	for to := head; to != nil; to = to.link {
		all = append(all, to)
	}
	return all
}

// pushAll pushes all to a queue that is open.
func pushAll(t *testing.T, q *mpscQueue, all ...*Timeout) {
	t.Helper()
	for _, to := range all {
		require.NotEqual(t, refused, q.push(to, &q.near))
	}
}

// A lost timeout would never run, although its push was accepted. A timeout that is taken twice would
// corrupt its list.
func TestEveryPushIsEitherTakenOrRefused(t *testing.T) {
	const producers, each = 8, 4000
	for round := range 4 {
		q := newQueue()
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
					if q.push(&all[i], q.lanes()[p%2]) == refused {
						refusals[i]++
					}
					pushed.Add(1)
				}
			})
		}
		count := func(list *Timeout) {
			for _, to := range linkedFrom(list) {
				taken[index(to)]++
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

// Combing costs a visit for each timeout that it cannot drop.
func TestStripeThatCombingLeftDeepIsCombedAgainAtTwiceItsDepth(t *testing.T) {
	q, litter := newStripes(1), new(Timeout)
	l := &q.near
	s, deep := &l.stripes[0], l.deep
	setWord(litter, 0, queued|fresh, Canceled)
	pushAll(t, q, newTimeouts(10)...)
	for _, row := range []struct {
		depth int32
		want  pushed
	}{{deep, littered}, {2*deep - 1, filled}, {2 * deep, littered}} {
		s.depth.Store(row.depth - counted)
		require.Equal(t, row.want, l.count(s, litter), "depth %d", row.depth)
		s.depth.Store(deep)
		require.False(t, l.comb(s), "nothing can be dropped")
	}
	s.take()
	s.depth.Store(deep - counted)
	assert.Equal(t, littered, l.count(s, litter), "the stripe was taken")
}
