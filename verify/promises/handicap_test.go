//go:build handicap

package promises

import (
	"runtime/metrics"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// callers is how many goroutines arm and stop timeouts as fast as they can.
const callers = 24

// calls has ways to arm and stop timeouts, and how late a heartbeat next to them may be: late plus times the lateness
// of the time package's. Timeouts that are stopped at once are not placed in the wheel, and delay no others. Timeouts
// in flight are placed.
var calls = map[string]struct {
	newCall func(tm *hashedwheel.Timer) (call func()) // for one of the callers, which makes the call repeatedly
	late    time.Duration
	times   time.Duration
}{
	"stopped at once": {stoppedAtOnce, 5 * time.Millisecond, 3},
	"stopped later":   {stoppedLater, 100 * time.Millisecond, 10},
}

func stoppedAtOnce(tm *hashedwheel.Timer) func() {
	return func() { tm.AfterFunc(30*time.Second, timertest.Nop).Stop() }
}

// stoppedLater stops each timeout after 5 ms.
func stoppedLater(tm *hashedwheel.Timer) func() {
	type call struct {
		at time.Time
		to *hashedwheel.Timeout
	}
	var flying []call
	return func() {
		now := time.Now()
		flying = append(flying, call{now, tm.AfterFunc(30*time.Second, timertest.Nop)})
		for now.Sub(flying[0].at) > 5*time.Millisecond {
			flying[0].to.Stop()
			flying = flying[1:]
		}
	}
}

// Filing is slowed to the ratio of a machine with about ninety processors: see internal/overlay/handicap. If callers
// neither filed their stopped timeouts nor waited, the heap would grow to hundreds of MiB, and a heartbeat would be
// more than a second late. The heap's bound is that of bench's load storm. The heartbeat's must also hold on a busy
// machine.
func TestBoundedWorkOnManyProcessors(t *testing.T) {
	for name, c := range calls {
		t.Run(name, func(t *testing.T) {
			tm := timertest.New(hashedwheel.WithTick(time.Millisecond))
			before, over := timertest.Heap(), atomic.Bool{}
			var producers sync.WaitGroup
			for range callers {
				producers.Go(func() {
					for call := c.newCall(tm); !over.Load(); {
						call()
					}
				})
			}
			here, beside := startBeats(tm.AfterFunc), startBeats(func(d time.Duration, f func()) *hashedwheel.Timeout {
				time.AfterFunc(d, f)
				return nil
			})
			peak := peakHeap(3 * time.Second)
			late, lateBeside := here.end(), beside.end()
			over.Store(true)
			producers.Wait()
			tm.StopAll()
			assert.Less(t, (peak-before)>>20, int64(64), "MiB of heap")
			const message = "the heartbeat's median lateness; the time package's is %v"
			assert.Less(t, late, c.late+c.times*lateBeside, message, lateBeside)
			t.Logf("heap %d MiB, heartbeat %v late, the time package's %v", (peak-before)>>20, late, lateBeside)
		})
	}
}

// peakHeap returns the most that the heap holds during some time.
func peakHeap(lasts time.Duration) (peak int64) {
	objects := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	for end := time.Now().Add(lasts); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		metrics.Read(objects)
		peak = max(peak, int64(objects[0].Value.Uint64()))
	}
	return peak
}

const period = 5 * time.Millisecond

// beats is a heartbeat on a fixed grid. The first beat after a stall counts for each point of the stall.
type beats struct {
	mu   sync.Mutex
	next time.Time       // guarded by mu
	late []time.Duration // guarded by mu
	over bool            // guarded by mu
}

func startBeats(arm func(d time.Duration, f func()) *hashedwheel.Timeout) *beats {
	b := &beats{next: time.Now().Add(period)}
	var beat func()
	beat = func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		b.count()
		if !b.over {
			arm(time.Until(b.next), beat)
		}
	}
	arm(period, beat)
	return b
}

func (b *beats) count() {
	for now := time.Now(); !b.next.After(now); b.next = b.next.Add(period) {
		b.late = append(b.late, now.Sub(b.next))
	}
}

// end returns the median lateness. A beat that is missing is late until now.
func (b *beats) end() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.over = true
	b.count()
	slices.Sort(b.late)
	return b.late[len(b.late)/2]
}
