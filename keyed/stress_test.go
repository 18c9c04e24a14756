package keyed_test

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// A record is a value that counts its own ends.
type record struct {
	ends  atomic.Int32
	until atomic.Int64 // in ns since began, a time that is not before the deadline; 0 before it is known
}

var began = time.Now()

// Goroutines call all methods for the same keys, while the timer is stopped and the map drained. Each value ends once:
// it expires, or is returned by Swap, Delete or Drain, or deleted by CompareAndDelete. Until the stop no call finds a
// value after its deadline, unless the map renews.
func TestEveryValueEndsOnceUnderConcurrentCalls(t *testing.T) {
	for name, opts := range map[string][]hashedwheel.Option{
		"as it comes": nil, "inline": {timertest.Inline}, "nearly full": {hashedwheel.WithMaxPending(keysInStress / 2)},
	} {
		t.Run(name, func(t *testing.T) { stress(t, opts, keyed.New[int, *record], true) })
		t.Run(name+", renewing", func(t *testing.T) { stress(t, opts, newRenewing, false) })
	}
}

const keysInStress = 1000

// newRenewing returns a Map that renews half of the values that are due.
func newRenewing(tm *hashedwheel.Timer, expired func(int, *record), _ ...keyed.Option) *keyed.Map[int, *record] {
	return keyed.NewRenewing(tm, func(int, *record) time.Duration {
		d := time.Duration(rand.IntN(4000)-2000) * time.Microsecond
		if rand.IntN(8) == 0 {
			time.Sleep(time.Millisecond / 4) // calls race with renew
		}
		return d
	}, expired)
}

type maker func(tm *hashedwheel.Timer, expired func(int, *record), opts ...keyed.Option) *keyed.Map[int, *record]

func stress(t *testing.T, opts []hashedwheel.Option, newMap maker, hides bool) {
	const goroutines = 6
	tm := hashedwheel.MustNew(append(opts, hashedwheel.WithTick(time.Millisecond))...)
	end := func(_ int, v *record) { v.ends.Add(1) }
	var expired, stopping, stop atomic.Bool
	m := newMap(tm, func(k int, v *record) {
		expired.Store(true)
		end(k, v)
	})
	var sets [goroutines][]*record
	var running sync.WaitGroup
	for g := range goroutines {
		running.Go(func() {
			for r := rand.New(rand.NewPCG(1, uint64(g))); !stop.Load(); {
				sets[g] = append(sets[g], call(m, r, end)...)
				k, before := r.IntN(keysInStress)|1, time.Since(began)
				if v, ok := m.Get(k); ok && hides && v.isPast(before) && !stopping.Load() {
					t.Errorf("%d was found after its deadline", k)
				}
			}
		})
	}
	for begun := time.Now(); time.Since(begun) < 200*time.Millisecond; time.Sleep(time.Millisecond) {
		_ = fmt.Sprintf("%v %#v", m, m) // by String, and by the fields: a Go map among them would be a race
	}
	assert.Eventually(t, expired.Load, 20*time.Second, time.Millisecond, "the machine may stand still")
	stopping.Store(true)
	tm.Stop()
	m.Drain(end)
	assert.Zero(t, m.Len(), "Drain after Timer.Stop misses nothing")
	time.Sleep(20 * time.Millisecond)
	stop.Store(true)
	running.Wait()
	_, err := tm.Shutdown(t.Context())
	require.NoError(t, err)
	assert.Zero(t, m.Len())
	for _, all := range sets {
		for _, v := range all {
			require.EqualValues(t, 1, v.ends.Load())
		}
	}
}

// Goroutines call all methods of a renewing map on a timer that is often full. Then the map is drained, and the
// timer takes as many new keys as its bound.
func TestRenewingMapReturnsEachPermitUnderConcurrentCalls(t *testing.T) {
	const permits = keysInStress / 4
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond), hashedwheel.WithMaxPending(permits))
	defer tm.Stop()
	end := func(int, *record) {}
	m := newRenewing(tm, end)
	var running sync.WaitGroup
	for g := range 4 {
		running.Go(func() {
			r := rand.New(rand.NewPCG(2, uint64(g)))
			for begun := time.Now(); time.Since(begun) < 200*time.Millisecond; {
				call(m, r, end)
			}
		})
	}
	running.Wait()
	assert.Eventually(t, func() bool {
		m.Drain(end) // tasks may still be under way
		n := 0
		for m.Set(n, nil, time.Hour) == nil {
			n++
		}
		return n == permits
	}, 20*time.Second, 10*time.Millisecond)
	m.Drain(end)
}

// call calls a method for a key, and returns the value that it has set, if any. It does not touch odd keys.
func call(m *keyed.Map[int, *record], r *rand.Rand, end func(int, *record)) (set []*record) {
	k, v, d := r.IntN(keysInStress), new(record), time.Duration(r.IntN(3000))*time.Microsecond
	switch r.IntN(16) {
	case 0, 1, 2:
		old, loaded, err := m.Swap(k, v, d)
		if loaded {
			end(k, old)
		}
		if err == nil {
			set = []*record{v.within(d)}
		}
	case 3, 4, 5:
		_, loaded, err := m.GetOrSet(k, v, d)
		if !loaded && err == nil {
			set = []*record{v.within(d)}
		}
	case 6, 7:
		if old, ok := m.Delete(k); ok {
			end(k, old)
		}
	case 8, 9:
		if old, ok := m.Get(k); ok && m.CompareAndDelete(k, old) {
			end(k, old)
		}
	case 10:
		if r.IntN(100) == 0 {
			m.Drain(end)
		}
	default:
		m.Touch(k&^1, d)
	}
	return set
}

// within notes that v was set to expire at most d from now.
func (v *record) within(d time.Duration) *record {
	v.until.Store(int64(time.Since(began) + d))
	return v
}

// isPast reports whether v has expired by now, unless v was set just then.
func (v *record) isPast(now time.Duration) bool {
	until := v.until.Load()
	return until > 0 && int64(now) > until
}

// Goroutines sweep one map while others fill and empty it, and move lasting keys that are due: each sweep sees
// every key that is in the map throughout, even if a shard's Go map grows or is replaced, or an entry is.
func TestEachSweepSeesEveryLastingKey(t *testing.T) {
	const stay = 200
	lost := hashedwheel.ExecutorFunc(func(func()) {})
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond), hashedwheel.WithExecutor(lost))
	defer tm.Stop()
	m := keyed.NewRenewing(tm, func(int, int) time.Duration { return 0 }, nil) // which finds due keys
	for k := range stay {
		require.NoError(t, m.Set(k, k, 0))
	}
	var stop atomic.Bool
	var running sync.WaitGroup
	for i := range 2 {
		running.Go(func() {
			for round := 1; !stop.Load(); round++ {
				for k := range 20_000 {
					_ = m.Set(stay*(i+1)+2*k+i, -1, time.Hour)
				}
				for k := range 20_000 {
					m.Delete(stay*(i+1) + 2*k + i)
				}
			}
		})
	}
	running.Go(func() {
		for k := 0; !stop.Load(); k++ {
			m.Touch(k%stay, 0)
		}
	})
	for range 20 {
		seen := map[int]int{}
		for k := range m.All() {
			seen[k]++
		}
		once(t, seen, stay)
	}
	stop.Store(true)
	running.Wait()
}

// The timer may be stopped within a Touch: a Touch that is refused moves no deadline.
func TestRefusedTouchLeavesTheDeadlineOfAPendingKey(t *testing.T) {
	for range 1000 {
		_, tm := timertest.NewManual()
		m := keyed.New(tm, func(int, int) {})
		require.NoError(t, m.Set(1, 1, tick))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			tm.Stop()
		}()
		moved, want := true, tm.Now().Add(tick)
		for d := tick; moved; d++ { // each to another time
			_, moved = m.Touch(1, d)
			if moved {
				want = tm.Now().Add(d)
			}
			if d%100 == 0 {
				runtime.Gosched() // there may be one processor
			}
		}
		at, ok := m.Deadline(1)
		require.True(t, ok)
		require.Equal(t, want, at)
		<-ended
	}
}
