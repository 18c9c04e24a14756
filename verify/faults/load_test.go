package faults

import (
	"flag"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

var ofALoad = flag.Int("load", 100_000, "how many timeouts of a load are pending at once")

// load is very many timeouts pending at once, all an hour away or more. The fate of each depends on the last digit of
// its index: 0 is stopped, 1 moved later, 2 moved earlier, 3 moved to the next half second, where it expires.
// Timer.Stop must return all others than the 0s and the 3s, each once.
type load struct {
	tm    *hashedwheel.Timer
	all   []hashedwheel.Timeout
	ends  []atomic.Uint32 // of each: runs, and 1<<16 for each time that it was returned
	early atomic.Int64
}

func newLoad(n int) *load {
	tm := timertest.New(timertest.Inline)
	return &load{tm: tm, all: make([]hashedwheel.Timeout, n), ends: make([]atomic.Uint32, n)}
}

// Run is the task of all.
func (l *load) Run(to *hashedwheel.Timeout) {
	if time.Now().Before(to.Deadline()) {
		l.early.Add(1)
	}
	l.ends[l.index(to)].Add(1)
}

func (l *load) index(to *hashedwheel.Timeout) int {
	return int((uintptr(unsafe.Pointer(to)) - uintptr(unsafe.Pointer(&l.all[0]))) / unsafe.Sizeof(*to))
}

func farFor(i int) time.Duration { return time.Hour + time.Duration(i*7919%7200)*time.Second }

// each has four goroutines call f for the timeouts whose index ends in a digit, or for all if that is negative. It
// returns how many results were true, and how long all calls took.
func (l *load) each(digit int, f func(i int, to *hashedwheel.Timeout) bool) (yes int, took time.Duration) {
	var sum atomic.Int64
	var users sync.WaitGroup
	const count = 4
	begun := time.Now()
	for u := range count {
		users.Go(func() {
			n := int64(0)
			for i := u * len(l.all) / count; i < (u+1)*len(l.all)/count; i++ {
				if (digit < 0 || i%10 == digit) && f(i, &l.all[i]) {
					n++
				}
			}
			sum.Add(n)
		})
	}
	users.Wait()
	return int(sum.Load()), time.Since(begun)
}

func TestLoadHasOneOutcomeEachAndLeavesNothing(t *testing.T) {
	start := timertest.Heap()
	n := *ofALoad / 10 * 10
	l := newLoad(n)
	before := timertest.Heap()
	again, took := l.each(-1, func(i int, to *hashedwheel.Timeout) bool {
		to.Init(l.tm, l)
		return to.Reset(farFor(i))
	})
	assert.Zero(t, again, "first armings that moved a timeout")
	assert.Equal(t, n, l.tm.Pending())
	each := float64(timertest.Heap()-before)/float64(n) + float64(unsafe.Sizeof(l.all[0]))
	t.Logf("%d armed in %v, %.1f bytes each", n, took, each)
	assert.LessOrEqual(t, each, float64(unsafe.Sizeof(l.all[0]))+16)

	for _, part := range []struct {
		name  string
		digit int
		call  func(i int, to *hashedwheel.Timeout) bool
	}{
		{"stopped", 0, func(_ int, to *hashedwheel.Timeout) bool { return to.Stop() }},
		{"moved later", 1, func(i int, to *hashedwheel.Timeout) bool { return to.Move(4 * farFor(i)) }},
		{"moved earlier", 2, func(i int, to *hashedwheel.Timeout) bool { return to.Reset(farFor(i) / 2) }},
		{"moved to the next half second", 3, func(i int, to *hashedwheel.Timeout) bool {
			return to.Reset(time.Duration(i*7919%500_000) * time.Microsecond)
		}},
	} {
		done, took := l.each(part.digit, part.call)
		assert.Equal(t, n/10, done, part.name)
		t.Logf("%d %s in %v", done, part.name, took)
	}
	timertest.Returns(t, func() {
		for l.tm.Pending() > n/10*8 {
			time.Sleep(timertest.Tick)
		}
	})
	l.end(t, n)
	l.all, l.ends, l.tm = nil, nil, nil
	assert.Eventually(t, func() bool { return timertest.LibraryGoroutines() == 0 }, 20*time.Second, time.Millisecond)
	assert.Less(t, timertest.Heap(), start+1<<20, "of the heap, in bytes")
	runtime.KeepAlive(l)
}

// end stops the timer, and checks that each timeout has its one outcome.
func (l *load) end(t *testing.T, n int) {
	begun := time.Now()
	left := l.tm.Stop()
	t.Logf("%d returned by Timer.Stop in %v", len(left), time.Since(begun))
	assert.Empty(t, timertest.Shutdown(t, l.tm))
	for _, to := range left {
		l.ends[l.index(to)].Add(1 << 16)
	}
	wrong := 0
	for i := range l.ends {
		want := uint32(1 << 16)
		switch i % 10 {
		case 0:
			want = 0
		case 3:
			want = 1
		}
		if l.ends[i].Load() != want {
			wrong++
		}
	}
	assert.Zero(t, wrong, "timeouts without their one outcome")
	assert.Zero(t, l.early.Load(), "tasks that ran early")
	assert.Equal(t, uint64(n/10), l.tm.Stats().Expired)
}
