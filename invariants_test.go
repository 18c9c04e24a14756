package hashedwheel

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// brokenWheel has timeouts in a bucket, and in three slots of rings.
type brokenWheel struct {
	*driver
	inBucket, inRing, farther, near *Timeout
}

func newBrokenWheel() brokenWheel {
	d := newDriver(512)
	d.arm(8)
	d.take(8)
	all := d.arm(100, 2000, 100_000, 700, 701)
	return brokenWheel{d, all[0], all[1], all[2], all[4]}
}

func TestCheckPanicsWhen(t *testing.T) {
	for says, breakIt := range map[string]func(b brokenWheel){
		"a list of a bucket is badly linked":          func(b brokenWheel) { b.inBucket.prev = &b.inRing.next },
		"a list of a slot is badly linked":            func(b brokenWheel) { b.inRing.prev = nil },
		"an occupied bucket is not marked":            func(b brokenWheel) { b.levels[0].occupied.Clear(100) },
		"an empty bucket is marked":                   func(b brokenWheel) { b.levels[0].occupied.Set(101) },
		"an upper level misses a word":                func(b brokenWheel) { b.levels[0].occupied[1][0] = 0 },
		"an upper level marks an empty word":          func(b brokenWheel) { b.levels[0].occupied[1][0] |= 1 << 7 },
		"an occupied slot is not marked":              func(b brokenWheel) { b.levels[1].occupied.Clear(2000 / 256) },
		"an empty slot is marked":                     func(b brokenWheel) { b.levels[1].occupied.Set(60) },
		"a slot that is no crowd is marked as one":    func(b brokenWheel) { b.levels[1].crowded.Set(2000 / 256) },
		"an upper level of the crowds marks no word":  func(b brokenWheel) { b.levels[0].crowded[1][0] |= 1 << 7 },
		"a bucket counts one more":                    func(b brokenWheel) { b.levels[0].slots[100].n++ },
		"one in a bucket says another bucket":         func(b brokenWheel) { b.inBucket.home += 1 << levelBits },
		"one in a bucket says a turn later":           func(b brokenWheel) { b.inBucket.home += 512 << levelBits },
		"one in a bucket says a turn earlier":         func(b brokenWheel) { b.inBucket.home -= 512 << levelBits },
		"one in a bucket says a ring":                 func(b brokenWheel) { b.inBucket.home++ },
		"one in a bucket says it is unfiled":          func(b brokenWheel) { b.inBucket.home = unfiled },
		"one in a bucket says it is in the batch":     func(b brokenWheel) { b.inBucket.home = inBatch },
		"one in a slot says another slot":             func(b brokenWheel) { b.inRing.home += 512 << levelBits },
		"one in a slot says another ring":             func(b brokenWheel) { b.inRing.home++ },
		"one in a slot says a turn of the ring later": func(b brokenWheel) { b.inRing.home += 64 * 256 << levelBits },
		"the wheel is past a bucket":                  func(b brokenWheel) { b.current = 101 },
		"the wheel is in the middle of a slot":        func(b brokenWheel) { b.remove(b.inBucket); b.current = 600 },
		"the wheel is past a slot":                    func(b brokenWheel) { b.remove(b.inBucket); b.current = 3000 },
		"a slot's earliest is too late":               func(b brokenWheel) { b.levels[1].slots[2000/256].earliest++ },
		"a slot's earliest is before it":              func(b brokenWheel) { b.levels[1].slots[2000/256].earliest = 1000 },
		"one more is counted":                         func(b brokenWheel) { b.count++ },
		"one less is counted":                         func(b brokenWheel) { b.count-- },
		"one in a bucket has expired":                 func(b brokenWheel) { setWord(b.inBucket, 100, 0, Expired) },
		"one in a ring has expired":                   func(b brokenWheel) { setWord(b.inRing, 2000, queued, Expired) },
		"one in the nearest slot has expired":         func(b brokenWheel) { setWord(b.near, 701, 0, Expired) },
		"one was never armed":                         func(b brokenWheel) { setWord(b.inRing, 2000, 0, Idle) },
		"one is cancelled and not in the queue":       func(b brokenWheel) { setWord(b.inRing, 2000, 0, Cancelled) },
		"one is rejected and not in the queue":        func(b brokenWheel) { setWord(b.near, 9, 0, Rejected) },
		"one came too late and is not in the queue":   func(b brokenWheel) { setWord(b.near, 9, 0, tooLate) },
		"one in a bucket is due before its tick":      func(b brokenWheel) { setWord(b.inBucket, 99, 0, Pending) },
		"one in a ring is due before its tick":        func(b brokenWheel) { setWord(b.farther, 99_999, 0, Pending) },
	} {
		t.Run(says, func(t *testing.T) {
			b := newBrokenWheel()
			require.NotPanics(t, b.checkAll)
			breakIt(b)
			defer func() { assert.Regexp(t, "^hashedwheel: invariant: ", recover()) }()
			b.checkAll()
		})
	}
}

func TestCheckPanicsWhenACrowdIsNotMarked(t *testing.T) {
	d := newDriver(512)
	for range crowd {
		d.arm(100)
	}
	require.NotPanics(t, d.checkAll)
	d.levels[0].crowded.Clear(100)
	assert.Panics(t, d.checkAll)
}

// A wheel of a million buckets is as large as 16,384 timeouts: one call in eight
// checks it.
func TestALargeWheelIsCheckedInProportion(t *testing.T) {
	d := newDriver(1 << 20)
	d.count++
	found := 0
	for range 1000 {
		found += checkFinds(d)
	}
	assert.Greater(t, found, 60)
	assert.Less(t, found, 250)
}

func TestASmallWheelIsAlwaysChecked(t *testing.T) {
	d := newDriver(1 << 16)
	d.count++
	for range 100 {
		assert.Equal(t, 1, checkFinds(d))
	}
}

// checkFinds returns 1 if check panics, else 0.
func checkFinds(d *driver) (found int) {
	defer func() {
		if recover() != nil {
			found = 1
		}
	}()
	d.check()
	return 0
}

// What a producer may do to a timeout in the wheel at any moment is no fault.
func TestCheckAllowsWhatProducersDo(t *testing.T) {
	for says, flags := range map[string]struct {
		deadline, flags int64
		state           State
	}{
		"moved later":                     {1 << 50, 0, Pending},
		"moved earlier":                   {minDeadline, queued, Pending},
		"stopped":                         {5, queued, Cancelled},
		"stopped, armed again and later":  {1 << 50, queued, Pending},
		"stopped, armed again, but full":  {5, queued, Rejected},
		"moved earlier, then later again": {1 << 50, queued, Pending},
	} {
		b := newBrokenWheel()
		for _, to := range []*Timeout{b.inBucket, b.inRing, b.farther, b.near} {
			setWord(to, flags.deadline, flags.flags, flags.state)
			assert.NotPanics(t, b.checkAll, says)
		}
	}
}

// The same, done by producers while the worker runs and everybody checks.
func TestCheckHoldsWhileProducersRun(t *testing.T) {
	tm := MustNew(WithTick(minTick), WithWheelSize(8), WithMaxPending(150), WithExecutor(Inline{}))
	defer tm.Stop()
	owned := make([]Timeout, 200)
	for i := range owned {
		owned[i].Init(tm, TaskFunc(func(*Timeout) {}))
	}
	check := func() {
		tm.guarded.Lock()
		defer tm.guarded.Unlock()
		tm.guarded.wheel.checkAll()
	}
	var done sync.WaitGroup
	for p := range uint64(3) {
		done.Go(func() {
			rnd := rand.New(rand.NewPCG(5, p))
			for i := range 10_000 {
				switch to := &owned[rnd.IntN(len(owned))]; rnd.IntN(3) {
				case 0:
					to.Stop()
				default:
					to.Reset(time.Duration(rnd.Int64N(int64(minTick) << rnd.IntN(12))))
				}
				if i%50 == 0 {
					tm.Pending()
					check()
				}
			}
		})
	}
	done.Wait()
	check()
}
