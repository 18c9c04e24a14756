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
type record struct{ ends atomic.Int32 }

// Goroutines call all methods for the same keys, while the timer is stopped and the map drained. Each value ends once:
// it expires, or is returned by Swap, Delete or Drain, or deleted by CompareAndDelete.
func TestEveryValueEndsOnceUnderConcurrentCalls(t *testing.T) {
	for name, opts := range map[string][]hashedwheel.Option{
		"as it comes": nil, "inline": {timertest.Inline}, "nearly full": {hashedwheel.WithMaxPending(keysInStress / 2)},
	} {
		t.Run(name, func(t *testing.T) { stress(t, opts, keyed.New[int, *record]) })
		t.Run(name+", renewing", func(t *testing.T) { stress(t, opts, newRenewing) })
	}
}

const keysInStress = 1000

type maker func(tm *hashedwheel.Timer, expired func(int, *record), opts ...keyed.Option) *keyed.Map[int, *record]

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

func stress(t *testing.T, opts []hashedwheel.Option, newMap maker) {
	const goroutines = 6
	tm := hashedwheel.MustNew(append(opts, hashedwheel.WithTick(time.Millisecond))...)
	end := func(_ int, v *record) { v.ends.Add(1) }
	var expired, stop atomic.Bool
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
			}
		})
	}
	for begun := time.Now(); time.Since(begun) < 200*time.Millisecond; time.Sleep(time.Millisecond) {
		_ = fmt.Sprintf("%v %#v", m, m) // by String, and by the fields: a Go map among them would be a race
	}
	assert.Eventually(t, expired.Load, 20*time.Second, time.Millisecond, "the machine may stand still")
	tm.StopAll()
	m.Drain(end)
	assert.Zero(t, m.Len(), "Drain after Timer.StopAll misses nothing")
	time.Sleep(20 * time.Millisecond)
	stop.Store(true)
	running.Wait()
	timertest.Shutdown(t, tm)
	assert.Zero(t, m.Len())
	for _, all := range sets {
		for _, v := range all {
			require.EqualValues(t, 1, v.ends.Load())
		}
	}
}

// call calls a method for a key, and returns the value that it has set, if any.
func call(m *keyed.Map[int, *record], r *rand.Rand, end func(int, *record)) (set []*record) {
	k, v, d := r.IntN(keysInStress), new(record), time.Duration(r.IntN(3000))*time.Microsecond
	switch r.IntN(16) {
	case 0, 1, 2:
		old, loaded, err := m.Swap(k, v, d)
		if loaded {
			end(k, old)
		}
		if err == nil {
			set = []*record{v}
		}
	case 3, 4, 5:
		_, loaded, err := m.GetOrSet(k, v, d)
		if !loaded && err == nil {
			set = []*record{v}
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
		m.Touch(k, d)
	}
	return set
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
			tm.StopAll()
		}()
		moved, want := true, tm.Now().Add(tick)
		for d := tick; moved; d++ { // each to a different time
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
