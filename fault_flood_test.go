package hashedwheel_test

import (
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
)

// Floods: more armings than the worker files, or than there is room for.

// ofAFlood is how many armings one is: ten million, where that is to be had.
func ofAFlood() int {
	n := 10_000_000
	if unsafe.Sizeof(uintptr(0)) == 4 {
		n /= 2
	}
	if costly || testing.Short() {
		n /= 10
	}
	return n
}

// heap is what is alive.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// blocked is a timer whose worker is blocked in its executor until released.
type blocked struct {
	*hashedwheel.Timer
	release chan struct{}
}

func newBlocked() *blocked {
	entered, release := make(chan struct{}), make(chan struct{})
	var first sync.Once
	b := &blocked{release: release}
	b.Timer = newTickingTimer(hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) {
		first.Do(func() {
			close(entered)
			<-release
		})
		f()
	})))
	b.AfterFunc(0, nop)
	<-entered
	return b
}

// A third is due meanwhile, a third is stopped, a third is for later. No arming
// waits, and each costs its Timeout. When the worker is free again it settles all.
func TestFaultFloodWhileTheWorkerIsBlocked(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	n := ofAFlood() / 3
	b, before, start := newBlocked(), heap(), time.Now()
	for range n {
		b.AfterFunc(0, nop)
		b.AfterFunc(time.Hour, nop).Stop()
		b.AfterFunc(time.Hour, nop)
	}
	took := time.Since(start)
	each := float64(heap()-before) / float64(3*n)
	t.Logf("%d armings in %v, %.1f bytes each", 3*n, took, each)
	assert.LessOrEqual(t, each, float64(unsafe.Sizeof(hashedwheel.Timeout{}))*1.5, "its Timeout, as the heap rounds it up")

	start = time.Now()
	close(b.release)
	returns(t, func() {
		for b.Stats().Expired < uint64(1+n) {
			time.Sleep(oneTick)
		}
	})
	t.Logf("all that was due had run after %v", time.Since(start))
	assert.Equal(t, n, b.Pending())
	assert.Len(t, shutdown(t, b.Timer), n)
	assert.Equal(t, uint64(2*n), b.Stats().Cancelled)
	assert.Less(t, heap()-before, int64(1<<20), "nothing stays behind")
}

// While the worker is blocked it lets go of nothing. Whoever asks what is pending
// does that in its place.
func TestFaultFloodOfStopsWhileTheWorkerIsBlocked(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	b, before := newBlocked(), heap()
	n := ofAFlood() / 10
	for range n {
		p := new([8]int64)
		b.AfterFunc(time.Hour, func() { p[0]++ }).Stop()
	}
	after := heap() - before
	t.Logf("%d armed and stopped: %d bytes each", n, after/int64(n))
	assert.Zero(t, b.Pending())
	assert.Less(t, heap()-before, int64(1<<20), "all are let go of")
	close(b.release)
	assert.Empty(t, shutdown(t, b.Timer))
}

// A Timeout that is armed again is in the queue once, however often.
func TestFaultFloodOfResetsWhileTheWorkerIsBlocked(t *testing.T) {
	if !inOwnProcess(t) {
		return
	}
	b := newBlocked()
	all := make([]hashedwheel.Timeout, 1000)
	for i := range all {
		all[i].Init(b.Timer, nopTask)
	}
	before, start, n := heap(), time.Now(), ofAFlood()/len(all)
	at := time.Now().Add(time.Hour)
	for range n {
		for i := range all {
			all[i].ResetAt(at)
			all[i].Stop()
		}
	}
	t.Logf("%d armings in %v, %d bytes", n*len(all), time.Since(start), heap()-before)
	assert.Less(t, heap()-before, int64(100_000))
	runtime.KeepAlive(all)
	close(b.release)
	assert.Empty(t, shutdown(t, b.Timer))
}

// Those that there is no room for are told so, all of them, and those that found
// room are served as if there had been no others.
func TestFaultFloodBeyondMaxPending(t *testing.T) {
	const bound, users, each = 1000, 8, 20_000
	inBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		for round := range 3 {
			var p punctuality
			var accepted atomic.Int64
			note := p.since(time.Now().Add(10 * oneTick))
			var flood sync.WaitGroup
			for range users {
				flood.Go(func() {
					for range each {
						if tm.AfterFunc(10*oneTick, note).State() == hashedwheel.Pending {
							accepted.Add(1)
						}
					}
				})
			}
			flood.Wait()
			require.Equal(t, int64(bound), accepted.Load(), "no more, and no fewer, in round %d", round)
			require.Equal(t, bound, tm.Pending())
			require.Equal(t, uint64((round+1)*(users*each-bound)), tm.Stats().Rejected)
			pass(11 * oneTick)
			p.assert(t, bound, oneTick)
		}
	}, hashedwheel.WithMaxPending(bound))
}
