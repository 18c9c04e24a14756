package hashedwheel

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// skipIfSmall skips tests that depend on how many pushes are counted.
func skipIfSmall(t *testing.T) {
	if limits.Deep < 1000 {
		t.Skip("with -tags small so few may wait that more pushes are counted")
	}
}

// deepest returns the depth of the deepest stripe.
func deepest(l *lane) (depth int32) {
	for i := range l.stripes {
		depth = max(depth, l.stripes[i].depth.Load())
	}
	return depth
}

// padded is a Timeout in a larger struct.
type padded[P any] struct {
	_  P // first: an empty last field would be padded
	to Timeout
}

// apart returns n timeouts in a row in memory, 48 bytes and the size of P apart.
func apart[P any](n int) (all []*Timeout) {
	some := make([]padded[P], n)
	for i := range some {
		all = append(all, &some[i].to)
	}
	return all
}

// layouts are ways in which timeouts lie in memory.
var layouts = map[string]func(n int) []*Timeout{
	"48 bytes apart":   apart[struct{}],
	"64 bytes apart":   apart[[16]byte],
	"256 bytes apart":  apart[[208]byte],
	"320 bytes apart":  apart[[272]byte],
	"8192 bytes apart": apart[[8144]byte],
	"allocated singly": newTimeouts,
}

func TestStripeIsDeepAfterAFewHundredPushes(t *testing.T) {
	skipIfSmall(t)
	for name, layout := range layouts {
		t.Run(name, func(t *testing.T) {
			const n = 1 << 14
			q, pushes, deepenings := newStripes(8), 0, 0
			q.near.stripes = q.near.stripes[:1]
			for _, to := range layout(n) {
				pushes++
				if q.push(to, &q.near) == filled {
					q.take() // counting starts again
					require.Zero(t, q.near.stripes[0].depth.Load())
					assert.Less(t, pushes, 4000, "at any time")
					pushes = 0
					deepenings++
				}
			}
			assert.Greater(t, deepenings, n/1024, "on average")
			assert.Less(t, deepenings, n/256, "on average")
		})
	}
}

// Only the producer can file here: the timer has no worker goroutine, and the test does not call Advance.
func TestProducerFilesItsStripeOnceTheStripeIsDeep(t *testing.T) {
	const n = 200_000
	g, tm := newGuarded()
	tm.queue.makeStripes(8) // the same on every machine
	most := int32(0)
	for range n {
		tm.AfterFunc(time.Hour, func() {})
		most = max(most, deepest(&tm.queue.far))
	}
	assert.LessOrEqual(t, most, 4*tm.queue.far.full)
	assert.Greater(t, g.wheel.count, n/2)
	assert.Equal(t, n, tm.Pending())
}

func TestProducerDropsTimeoutsStoppedInTheQueue(t *testing.T) {
	g, tm := newGuarded()
	tm.queue.makeStripes(8)
	g.mu.Lock() // they are dropped without it, and none is filed
	for range 50_000 {
		tm.AfterFunc(time.Hour, func() {}).Stop()
	}
	g.mu.Unlock()
	waiting := 0
	for i := range tm.queue.far.stripes {
		for to := tm.queue.far.stripes[i].head.Load(); to != nil; to = to.link {
			waiting++
		}
	}
	assert.Less(t, waiting, 25_000)
}

// While two producers wait, the stripe is filed by the first, who has its turn. The second finds that.
func TestProducersWaitForTheLockOneAtATime(t *testing.T) {
	g, tm := newGuarded()
	tm.queue.makeStripes(1)
	const waiting = 3 * portion
	for _, to := range newTimeouts(waiting) {
		to.Init(tm, TaskFunc(func(*Timeout) {}))
		setWord(to, int64(time.Hour), queued, Pending)
		tm.queue.push(to, &tm.queue.near)
	}
	near := &tm.queue.near
	near.stripes[0].depth.Store(near.full)
	var running, done sync.WaitGroup
	g.mu.Lock()
	for range 2 {
		running.Add(1)
		done.Go(func() {
			running.Done()
			tm.help(near, &near.stripes[0], filled)
		})
	}
	running.Wait()
	time.Sleep(50 * time.Millisecond) // for both to wait; a sooner unlock could only hide a mistake
	g.mu.Unlock()
	done.Wait()
	assert.Equal(t, 2*portion, g.wheel.count)
}

func TestDepthsAreDividedByTheNumberOfStripes(t *testing.T) {
	for stripes := 1; stripes <= 256; stripes *= 2 {
		q := newStripes(stripes)
		assert.EqualValues(t, limits.Deep/min(stripes, 8), q.near.full)
		assert.EqualValues(t, limits.Full/min(stripes, 8), q.far.full)
		for _, l := range q.lanes() {
			assert.EqualValues(t, limits.Deep/min(stripes, 8), l.deep)
			assert.Greater(t, l.deep, int32(counted), "one push does not make a stripe deep")
		}
	}
}
