package hashedwheel

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// brokenWheel has timeouts in a bucket, in two rings and in the due list.
type brokenWheel struct {
	*driver
	inBucket, inRing, farther, inDue *Timeout
}

func newBrokenWheel() brokenWheel {
	d := newDriver(512)
	due := d.arm(9, 9)[0]
	d.advance(9, &d.due)
	all := d.arm(100, 2000, 100_000)
	return brokenWheel{d, all[0], all[1], all[2], due}
}

func TestCheckPanicsWhen(t *testing.T) {
	for says, breakIt := range map[string]func(b brokenWheel){
		"a list of a bucket is badly linked":          func(b brokenWheel) { b.inBucket.prev = &b.inRing.next },
		"a list of a slot is badly linked":            func(b brokenWheel) { b.inRing.prev = nil },
		"the due list is badly linked":                func(b brokenWheel) { b.due.head.prev = nil },
		"an occupied bucket is not marked":            func(b brokenWheel) { b.occupied.clear(100) },
		"an empty bucket is marked":                   func(b brokenWheel) { b.occupied.set(101) },
		"an upper level misses a word":                func(b brokenWheel) { b.occupied.levels[1][0] = 0 },
		"an upper level marks an empty word":          func(b brokenWheel) { b.occupied.levels[1][0] |= 1 << 7 },
		"an occupied slot is not marked":              func(b brokenWheel) { b.rings[0].occupied = 0 },
		"an empty slot is marked":                     func(b brokenWheel) { b.rings[3].occupied = 1 },
		"one in a bucket says another bucket":         func(b brokenWheel) { b.inBucket.home += 1 << levelBits },
		"one in a bucket says a turn later":           func(b brokenWheel) { b.inBucket.home += 512 << levelBits },
		"one in a bucket says a turn earlier":         func(b brokenWheel) { b.inBucket.home -= 512 << levelBits },
		"one in a bucket says a ring":                 func(b brokenWheel) { b.inBucket.home++ },
		"one in a bucket says it is unfiled":          func(b brokenWheel) { b.inBucket.home = unfiled },
		"one in a bucket says it is in the batch":     func(b brokenWheel) { b.inBucket.home = inBatch },
		"one in a slot says another slot":             func(b brokenWheel) { b.inRing.home += 512 << levelBits },
		"one in a slot says another ring":             func(b brokenWheel) { b.inRing.home++ },
		"one in a slot says a turn of the ring later": func(b brokenWheel) { b.inRing.home += 64 * 512 << levelBits },
		"one in the due list says another tick":       func(b brokenWheel) { b.inDue.home += 1 << levelBits },
		"one in the due list says it is unfiled":      func(b brokenWheel) { b.due.head.home = unfiled },
		"the wheel is past a bucket":                  func(b brokenWheel) { b.current = 101 },
		"the wheel is in the middle of a slot":        func(b brokenWheel) { b.remove(b.inBucket); b.current = 1999 },
		"the wheel is past a slot":                    func(b brokenWheel) { b.remove(b.inBucket); b.current = 3000 },
		"a slot's earliest is too late":               func(b brokenWheel) { b.rings[0].slots[3].earliest++ },
		"a slot's earliest is before it":              func(b brokenWheel) { b.rings[0].slots[3].earliest = 1000 },
		"one more is counted":                         func(b brokenWheel) { b.count++ },
		"one less is counted":                         func(b brokenWheel) { b.count-- },
		"one in a bucket has expired":                 func(b brokenWheel) { setWord(b.inBucket, 100, 0, Expired) },
		"one in a ring has expired":                   func(b brokenWheel) { setWord(b.inRing, 2000, queued, Expired) },
		"one in the due list has expired":             func(b brokenWheel) { setWord(b.inDue, 9, 0, Expired) },
		"one was never armed":                         func(b brokenWheel) { setWord(b.inRing, 2000, 0, Idle) },
		"one is cancelled and not in the queue":       func(b brokenWheel) { setWord(b.inRing, 2000, 0, Cancelled) },
		"one is rejected and not in the queue":        func(b brokenWheel) { setWord(b.inDue, 9, 0, Rejected) },
		"one in a bucket is due before its tick":      func(b brokenWheel) { setWord(b.inBucket, 99, 0, Pending) },
		"one in a ring is due before its tick":        func(b brokenWheel) { setWord(b.farther, 99_999, 0, Pending) },
	} {
		t.Run(says, func(t *testing.T) {
			b := newBrokenWheel()
			require.NotPanics(t, func() { b.check(&b.due, false) })
			breakIt(b)
			defer func() { assert.Regexp(t, "^hashedwheel: invariant: ", recover()) }()
			b.check(&b.due, false)
		})
	}
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
		for _, to := range []*Timeout{b.inBucket, b.inRing, b.farther, b.inDue} {
			setWord(to, flags.deadline, flags.flags, flags.state)
			assert.NotPanics(t, func() { b.check(&b.due, false) }, says)
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
		tm.mu.Lock()
		defer tm.mu.Unlock()
		tm.wheel.check(&tm.due, false)
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
