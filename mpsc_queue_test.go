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
	return &mpscQueue{stripes: make([]stripe, n)}
}

// onStripes returns n timeouts for each stripe of q, by stripe.
func onStripes(q *mpscQueue, n int) [][]*Timeout {
	by := make([][]*Timeout, len(q.stripes))
	for short := len(by); short > 0; {
		page := make([]Timeout, 1<<pageShift/unsafe.Sizeof(Timeout{}))
		for i := range page {
			s := uintptr(unsafe.Pointer(&page[i])) >> pageShift & uintptr(len(q.stripes)-1)
			if len(by[s]) == n {
				continue
			}
			if by[s] = append(by[s], &page[i]); len(by[s]) == n {
				short--
			}
		}
	}
	return by
}

// links returns the timeouts of a list that take returned.
func links(head *Timeout) (all []*Timeout) {
	for to := head; to != nil; to = to.link {
		all = append(all, to)
	}
	return all
}

// pushAll pushes all to a queue that is open.
func pushAll(t *testing.T, q *mpscQueue, all ...*Timeout) {
	t.Helper()
	for _, to := range all {
		require.NotEqual(t, refused, q.push(to))
	}
}

func TestTakeOfAnEmptyQueueReturnsNothing(t *testing.T) {
	assert.Nil(t, newQueue().take())
}

func TestTakeReturnsAStripeNewestFirst(t *testing.T) {
	q, all := newStripes(1), newTimeouts(3)
	pushAll(t, q, all...)
	got := links(q.take())
	require.Len(t, got, 3)
	for i, to := range got {
		assert.Same(t, all[2-i], to)
	}
}

func TestTakeReturnsEachTimeoutOnce(t *testing.T) {
	q, all := newQueue(), newTimeouts(300)
	pushAll(t, q, all...)
	var got []*Timeout
	for head := q.take(); head != nil; head = q.take() {
		got = append(got, links(head)...)
	}
	assert.Equal(t, numbers(all, all), numbers(all, got))
}

func TestATimeoutMayBePushedAgainAfterItWasTaken(t *testing.T) {
	q, all := newStripes(1), newTimeouts(2)
	pushAll(t, q, all...)
	q.take()
	pushAll(t, q, all[0])
	assert.Equal(t, []int{0}, numbers(all, links(q.take())))
}

// A full stripe must not keep the others waiting when the drain limit is small.
func TestTakeComesToEveryStripeWhileOneIsFilledAgainAndAgain(t *testing.T) {
	q := newStripes(8)
	by := onStripes(q, 20)
	for busy := range by {
		waiting := map[*Timeout]bool{}
		for s, all := range by {
			if s != busy {
				pushAll(t, q, all[0])
				waiting[all[0]] = true
			}
		}
		for i := range len(by) {
			pushAll(t, q, by[busy][i])
			delete(waiting, q.take())
		}
		assert.Empty(t, waiting, "stripe %d was filled before each take", busy)
		for q.take() != nil {
		}
	}
}

func TestQueueIsEmpty(t *testing.T) {
	q := newStripes(4)
	by := onStripes(q, 1)
	t.Run("at first", func(t *testing.T) { assert.True(t, q.empty()) })
	for s := range by {
		pushAll(t, q, by[s][0])
		assert.False(t, q.empty(), "with one on stripe %d", s)
		q.take()
		assert.True(t, q.empty(), "after that was taken")
	}
}

func TestQueueIsNotEmptyWhileOneStripeIsLeft(t *testing.T) {
	q := newStripes(2)
	by := onStripes(q, 1)
	pushAll(t, q, by[0][0], by[1][0])
	q.take()
	assert.False(t, q.empty())
}

func TestCloseHandsOverWhatIsInAnyStripe(t *testing.T) {
	q := newStripes(8)
	var all, got []*Timeout
	for _, some := range onStripes(q, 3) {
		pushAll(t, q, some...)
		all = append(all, some...)
	}
	for _, list := range q.close() {
		got = append(got, links(list)...)
	}
	assert.Equal(t, numbers(all, all), numbers(all, got))
}

func TestAClosedQueueRefusesOnEveryStripe(t *testing.T) {
	q := newStripes(8)
	q.close()
	for s, some := range onStripes(q, 1) {
		assert.Equal(t, refused, q.push(some[0]), "stripe %d", s)
	}
	assert.Nil(t, q.take(), "the sentinel is not a timeout")
}

// Neither a loss nor a duplicate: a loss is a timeout that is told accepted and
// never runs, a duplicate corrupts the list that it is in twice.
func TestEveryPushIsEitherTakenOrRefused(t *testing.T) {
	const producers, each = 8, 4000
	for round := range 4 {
		q := newQueue()
		all := make([]Timeout, producers*each)
		taken, turnedAway := make([]int, len(all)), make([]int, len(all))
		index := func(to *Timeout) int {
			return int((uintptr(unsafe.Pointer(to)) - uintptr(unsafe.Pointer(&all[0]))) / unsafe.Sizeof(all[0]))
		}
		var pushed atomic.Int64
		var done sync.WaitGroup
		for p := range producers {
			done.Go(func() {
				for i := p; i < len(all); i += producers { // neighbours, so that producers meet on stripes
					if q.push(&all[i]) == refused {
						turnedAway[i]++
					}
					pushed.Add(1)
				}
			})
		}
		count := func(list *Timeout) {
			for _, to := range links(list) {
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
			require.Equal(t, 1, taken[i]+turnedAway[i], "timeout %d was taken %d times, refused %d times", i, taken[i], turnedAway[i])
		}
	}
}

func TestATimeoutHandedToAndFroIsNeverLost(t *testing.T) {
	const producers, rounds = 4, 5000
	q := newQueue()
	all := make([]Timeout, producers)
	turns := make([]chan bool, producers)
	var done sync.WaitGroup
	for p := range producers {
		turns[p] = make(chan bool, 1)
		done.Go(func() {
			for range rounds {
				q.push(&all[p])
				<-turns[p]
			}
		})
	}
	owner := map[*Timeout]int{}
	for p := range all {
		owner[&all[p]] = p
	}
	for left := producers * rounds; left > 0; runtime.Gosched() {
		for _, to := range links(q.take()) { // all of them, before one is pushed again
			turns[owner[to]] <- true
			left--
		}
	}
	done.Wait()
	assert.True(t, q.empty())
}

func TestQueueHasAPowerOfTwoOfStripesWhateverGOMAXPROCSIs(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for _, row := range []struct{ procs, stripes int }{{1, 4}, {2, 8}, {3, 16}, {48, 256}, {64, 256}, {100, 256}} {
		runtime.GOMAXPROCS(row.procs)
		assert.Len(t, newQueue().stripes, row.stripes, "%d processors", row.procs)
	}
}
