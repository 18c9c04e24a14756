package faults

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/invariants"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// One processor, and others that never yield it: the scheduler takes it from them every 10ms, and the worker gets its
// turn among them.

// busy keeps n goroutines running, and one more that calls Pending all the time, until end is called.
func busy(tm *hashedwheel.Timer, n int) (end func()) {
	var quit atomic.Bool
	var done sync.WaitGroup
	for range n {
		done.Go(func() {
			for i := 0; !quit.Load(); i++ {
			}
		})
	}
	done.Go(func() {
		for !quit.Load() {
			tm.Pending()
		}
	})
	return func() {
		quit.Store(true)
		done.Wait()
	}
}

func TestFaultProcessorIsBusy(t *testing.T) {
	if !timertest.InOwnProcess(t, "GOMAXPROCS=1") {
		return
	}
	for name, opts := range timertest.EachExecutor {
		tm := timertest.New(opts...)
		end := busy(tm, 3)
		start, n := time.Now(), 300
		var delays []time.Duration
		for i := range n {
			delays = append(delays, time.Duration(i)*timertest.Tick)
		}
		timertest.Returns(t, func() { assertServed(t, name, timertest.Lateness(tm, delays)) })
		idle := tm.AfterFunc(time.Hour, timertest.Nop)
		assert.True(t, idle.Stop())
		end()
		stats := tm.Stats()
		assert.Empty(t, timertest.Shutdown(t, tm))
		assert.Equal(t, uint64(n), stats.Expired)
		assert.LessOrEqual(t, stats.Wakeups, uint64(time.Since(start)/timertest.Tick)+10, "one a tick, at most")
		t.Logf("%s: %d wake-ups in %v", name, stats.Wakeups, time.Since(start))
	}
}

// assertServed fails the test if a task was early, or later than any machine should be.
func assertServed(t *testing.T, name string, late []time.Duration) {
	t.Helper()
	var sum, most time.Duration
	for _, d := range late {
		assert.GreaterOrEqual(t, d, time.Duration(0))
		sum, most = sum+d, max(most, d)
	}
	assert.Less(t, most, 10*time.Second)
	t.Logf("%s: %v late on average, %v at most", name, sum/time.Duration(len(late)), most)
}

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
