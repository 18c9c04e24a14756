// Package chaos has timers lead short lives in which everything goes wrong at once: clocks that advance by up to 200
// days, panics and runtime.Goexit in tasks, executors and panic handlers, timeouts moved earlier and later, bounds that
// are hit, GOMAXPROCS from 1 to 64, and Stop or Shutdown at any moment. Some lives run dry before that. At the end of
// each life the books must balance: no arming lost, doubled or early, nothing leaked, nothing hung.
//
//	go test -tags small ./verify/chaos -chaos 10m -timeout 20m
package chaos

import (
	"flag"
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

var (
	lasts  = flag.Duration("chaos", 3*time.Second, "how long lives go on")
	linger = flag.Duration("linger", 30*time.Second, "how long a life's steps may take")
)

func returns(t *testing.T, f func()) {
	t.Helper()
	timertest.ReturnsWithin(t, *linger, f)
}

var armings, runs atomic.Int64 // of all lives

func TestChaosKeepsTheBooks(t *testing.T) {
	processors := []int{1, 2, 3, 4, 8, 16, 64}
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	begun, lives, before := time.Now(), 0, timertest.Heap()
	for ; time.Since(begun) < timertest.Lasting(*lasts) && !t.Failed(); lives++ {
		runtime.GOMAXPROCS(processors[rand.IntN(len(processors))])
		l := newLife()
		l.lead(t)
		if t.Failed() {
			t.Log(l.says)
		}
	}
	noneIsLeft := func() bool { return timertest.LibraryGoroutines() == 0 }
	assert.Eventually(t, noneIsLeft, 20*time.Second, time.Millisecond, "goroutines are left over")
	heapIsBack := func() bool { return timertest.Heap() < before+4<<20 }
	assert.Eventually(t, heapIsBack, 20*time.Second, 100*time.Millisecond, "the heap grows")
	t.Logf("%d lives, %d armings and %d runs, %.0f armings a second", lives, armings.Load(), runs.Load(),
		float64(armings.Load())/time.Since(begun).Seconds())
}

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
