package faults

import (
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/invariants"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// Floods: more armings than the worker files, or than there is room for.

// ofAFlood returns the number of armings in a flood: ten million, where the memory suffices.
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

// A third is due during the block, a third is stopped, a third is for later. No arming waits, and each costs its
// Timeout. When the worker is free again, it settles them all.
func TestFaultFloodWhileTheWorkerIsBlocked(t *testing.T) {
	if !timertest.InOwnProcess(t) {
		return
	}
	n, blocked, release := ofAFlood()/3, make(chan struct{}), make(chan struct{})
	tm := timertest.New(timertest.OnWorker)
	tm.AfterFunc(0, func() {
		close(blocked)
		<-release
	})
	<-blocked
	before, start := timertest.Heap(), time.Now()
	for range n {
		tm.AfterFunc(0, timertest.Nop)
		tm.AfterFunc(time.Hour, timertest.Nop).Stop()
		tm.AfterFunc(time.Hour, timertest.Nop)
	}
	took := time.Since(start)
	each := float64(timertest.Heap()-before) / float64(3*n)
	t.Logf("%d armings in %v, %.1f bytes each", 3*n, took, each)
	size := float64(unsafe.Sizeof(hashedwheel.Timeout{}))
	assert.LessOrEqual(t, each, 1.5*size, "its Timeout, as the heap rounds it up")

	start = time.Now()
	close(release)
	timertest.Returns(t, func() {
		for tm.Stats().Expired < uint64(1+n) {
			time.Sleep(timertest.Tick)
		}
	})
	t.Logf("all due timeouts had run after %v", time.Since(start))
	assert.Equal(t, n, tm.Pending())
	assert.Len(t, timertest.Shutdown(t, tm), n)
	assert.Less(t, timertest.Heap()-before, int64(1<<20), "nothing is left behind")
}
