package faults

import (
	"sync"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/invariants"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Floods: more armings than the worker files, or than there is room for.

// ofAFlood is how many armings one is: ten million, where that is to be had.
func ofAFlood() int {
	n := 10_000_000
	if unsafe.Sizeof(uintptr(0)) == 4 {
		n /= 2
	}
	if timertest.Race || invariants.Enabled || testing.Short() {
		n /= 10
	}
	return n
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
	b.Timer = timertest.New(hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) {
		first.Do(func() {
			close(entered)
			<-release
		})
		f()
	})))
	b.AfterFunc(0, timertest.Nop)
	<-entered
	return b
}

// A third is due during the block, a third is stopped, a third is for later. No arming waits, and
// each costs its Timeout. When the worker is free again it settles all.
func TestFaultFloodWhileTheWorkerIsBlocked(t *testing.T) {
	if !timertest.InOwnProcess(t) {
		return
	}
	n := ofAFlood() / 3
	b, before, start := newBlocked(), timertest.Heap(), time.Now()
	for range n {
		b.AfterFunc(0, timertest.Nop)
		b.AfterFunc(time.Hour, timertest.Nop).Stop()
		b.AfterFunc(time.Hour, timertest.Nop)
	}
	took := time.Since(start)
	each := float64(timertest.Heap()-before) / float64(3*n)
	t.Logf("%d armings in %v, %.1f bytes each", 3*n, took, each)
	size := float64(unsafe.Sizeof(hashedwheel.Timeout{}))
	assert.LessOrEqual(t, each, 1.5*size, "its Timeout, as the heap rounds it up")

	start = time.Now()
	close(b.release)
	timertest.Returns(t, func() {
		for b.Stats().Expired < uint64(1+n) {
			time.Sleep(timertest.Tick)
		}
	})
	t.Logf("all that was due had run after %v", time.Since(start))
	assert.Equal(t, n, b.Pending())
	assert.Len(t, timertest.Shutdown(t, b.Timer), n)
	assert.Less(t, timertest.Heap()-before, int64(1<<20), "nothing stays behind")
}

// A blocked worker lets go of nothing. Pending does so in its place.
func TestFaultFloodOfStopsWhileTheWorkerIsBlocked(t *testing.T) {
	if !timertest.InOwnProcess(t) {
		return
	}
	b, before := newBlocked(), timertest.Heap()
	n := ofAFlood() / 10
	for range n {
		p := new([8]int64)
		b.AfterFunc(time.Hour, func() { p[0]++ }).Stop()
	}
	after := timertest.Heap() - before
	t.Logf("%d armed and stopped: %d bytes each", n, after/int64(n))
	assert.Zero(t, b.Pending())
	assert.Less(t, timertest.Heap()-before, int64(1<<20), "all are let go of")
	close(b.release)
	assert.Empty(t, timertest.Shutdown(t, b.Timer))
}
