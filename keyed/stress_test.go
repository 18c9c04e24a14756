package keyed_test

import (
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// A record is the value that the stress test sets: it counts its own ends.
type record struct {
	ends    atomic.Int32 // expired, deleted, drained or returned by Swap
	expired atomic.Int64 // ns since the books began

	// Written by the owner of the key alone.
	refused   bool
	notBefore time.Duration // the earliest deadline that the last Touch or Swap may have set
}

// The books are checked at the end of a stress test. Each of many goroutines owns keys that no other
// sets, so it knows which value its calls concern.
type books struct {
	m     *keyed.Map[int, *record]
	start time.Time
	stop  atomic.Bool
	any   atomic.Bool // a value has expired
}

const keysPerOwner = 512 // enough that most stay untouched until they expire

// own swaps, touches and deletes its keys until the books are closed, and returns all values it set.
func (b *books) own(first int, r *rand.Rand) (all []*record) {
	var current [keysPerOwner]*record
	for !b.stop.Load() {
		i := r.IntN(keysPerOwner)
		key, d, now := first+i, time.Duration(r.IntN(3000))*time.Microsecond, time.Since(b.start)
		if current[i] == nil || r.IntN(4) == 0 {
			v := &record{notBefore: now + d}
			all = append(all, v)
			old, loaded, err := b.m.Swap(key, v, d)
			if loaded {
				old.ends.Add(1) // old must be current[i]
			}
			v.refused = err != nil
			if !v.refused {
				current[i] = v
			}
			continue
		}
		v := current[i]
		switch r.IntN(4) {
		case 0:
			if got, ok := b.m.Delete(key); ok {
				got.ends.Add(1) // got must be v
			}
			current[i] = nil
		case 1:
			if got, ok := b.m.Get(key); ok && got != v {
				v.ends.Add(100) // a value of the past
			}
		default:
			if got, ok := b.m.Touch(key, d); ok {
				v.notBefore = now + d
				if got != v {
					v.ends.Add(100) // a value of the past
				}
			}
		}
	}
	return all
}

// meddle deletes keys of other goroutines, touches some, iterates over all and drains.
func (b *books) meddle(keys int, r *rand.Rand) {
	end := func(_ int, v *record) { v.ends.Add(1) }
	for !b.stop.Load() {
		key := r.IntN(keys)
		switch r.IntN(100) {
		case 0:
			b.m.Drain(end)
		case 1, 2, 3:
			seen := map[*record]bool{}
			for _, v := range b.m.All() {
				if seen[v] {
					v.ends.Add(100)
				}
				seen[v] = true
			}
		case 4, 5, 6:
			if v, ok := b.m.Delete(key); ok {
				end(key, v)
			}
		case 7, 8, 9:
			b.m.Touch(key, time.Hour)
		default:
			runtime.Gosched()
		}
	}
}

// check closes the books on one value.
func (v *record) check(t *testing.T) {
	want := int32(1)
	if v.refused {
		want = 0
	}
	require.Equal(t, want, v.ends.Load(), "refused: %v", v.refused)
	if at := v.expired.Load(); at != 0 {
		require.GreaterOrEqual(t, time.Duration(at), v.notBefore, "expired early")
	}
}

func TestEveryValueEndsOnceUnderConcurrentCalls(t *testing.T) {
	for name, opts := range map[string][]hashedwheel.Option{
		"as it comes": nil,
		"inline":      {hashedwheel.WithExecutor(hashedwheel.Inline{})},
		"nearly full": {hashedwheel.WithMaxPending(2 * keysPerOwner)},
	} {
		t.Run(name, func(t *testing.T) { stress(t, true, opts...) })
	}
	t.Run("the timer is stopped meanwhile", func(t *testing.T) { stress(t, false) })
}

func stress(t *testing.T, keepOn bool, opts ...hashedwheel.Option) {
	const owners, meddlers = 4, 2
	tm := hashedwheel.MustNew(append(opts, hashedwheel.WithTick(time.Millisecond))...)
	b := &books{start: time.Now()}
	b.m = keyed.New(tm, func(_ int, v *record) {
		v.expired.Store(int64(time.Since(b.start)))
		v.ends.Add(1)
		b.any.Store(true)
	})
	sets := make([][]*record, owners)
	var running sync.WaitGroup
	for i := range owners {
		running.Go(func() { sets[i] = b.own(i*keysPerOwner, rand.New(rand.NewPCG(1, uint64(i)))) })
	}
	for i := range meddlers {
		running.Go(func() { b.meddle(owners*keysPerOwner, rand.New(rand.NewPCG(2, uint64(i)))) })
	}
	time.Sleep(200 * time.Millisecond)
	assert.Eventually(t, b.any.Load, 20*time.Second, time.Millisecond, "the machine may stand still")
	if !keepOn {
		tm.Stop()
		time.Sleep(50 * time.Millisecond)
	}
	b.stop.Store(true)
	running.Wait()
	_, err := tm.Shutdown(t.Context())
	require.NoError(t, err)
	b.m.Drain(func(_ int, v *record) { v.ends.Add(1) })
	assert.Zero(t, b.m.Len())
	count, expired := 0, 0
	for _, all := range sets {
		for _, v := range all {
			v.check(t)
			count++
			if v.expired.Load() != 0 {
				expired++
			}
		}
	}
	assert.Positive(t, expired)
	t.Logf("%d values, %d expired", count, expired)
}

// Goroutines sweep one map while others fill and empty it, and move lasting keys that are due: each sweep sees
// every key that is in the map throughout, even if a shard's Go map grows or is replaced, or an entry is.
func TestEachSweepSeesEveryLastingKey(t *testing.T) {
	const stay = 200
	lost := hashedwheel.ExecutorFunc(func(func()) {})
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond), hashedwheel.WithExecutor(lost))
	defer tm.Stop()
	m := keyed.New(tm, func(int, int) { t.Error("expired") })
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
