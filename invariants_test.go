package hashedwheel

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// brokenWheel is a sound wheel until a test breaks it. Its timeouts are in a bucket and in slots of overflow rings.
type brokenWheel struct {
	*hashedWheel
	inBucket, inRing, farther, near *Timeout
}

func newBrokenWheel() brokenWheel {
	w := newWheel(1, 512, few)
	w.open(8)
	all := w.arm(100, 2000, 100_000, 700, 701)
	return brokenWheel{w, all[0], all[1], all[2], all[4]}
}

// fillBucket fills two chunks of a bucket and a part of a third.
func (b brokenWheel) fillBucket(tick int64) *slot {
	for range 2*chunkLen + 2 {
		b.arm(tick)
	}
	return &b.levels[0].slots.slots[tick]
}

// cut leaves a chunk without its entries.
func cut(chunk *[]*Timeout) { *chunk = (*chunk)[:0] }

func TestCheckFindsEachBrokenInvariant(t *testing.T) {
	for name, breakIt := range map[string]func(b brokenWheel){
		"a bucket has lost its timeout": func(b brokenWheel) { *b.levels[0].slots.entry(100, 0) = nil },
		"two slots hold one timeout": func(b brokenWheel) {
			*b.levels[0].slots.entry(100, 0) = b.inRing
		},
		"a chunk keeps a timeout that has left": func(b brokenWheel) {
			cut(&b.levels[0].slots.slots[100].last)
		},
		"a chunk before the last is not full": func(b brokenWheel) {
			cut(&b.fillBucket(90).full[0])
		},
		"the last chunk is empty":                     func(b brokenWheel) { cut(&b.fillBucket(90).last) },
		"an occupied bucket is not marked":            func(b brokenWheel) { b.levels[0].occupied.Clear(100) },
		"an empty bucket is marked":                   func(b brokenWheel) { b.levels[0].occupied.Set(101) },
		"an occupied slot is not marked":              func(b brokenWheel) { b.levels[1].occupied.Clear(2000 / 256) },
		"an empty slot is marked":                     func(b brokenWheel) { b.levels[1].occupied.Set(60) },
		"a slot without a crowd is marked as crowded": func(b brokenWheel) { b.levels[1].crowded.Set(2000 / 256) },
		"home names another bucket":                   func(b brokenWheel) { b.inBucket.home += 1 << kindBits },
		"home in a bucket names a ring":               func(b brokenWheel) { b.inBucket.home++ },
		"home in a bucket is none":                    func(b brokenWheel) { b.inBucket.home = unfiled },
		"home in a ring names another ring":           func(b brokenWheel) { b.inRing.home++ },
		"the wheel is past a bucket":                  func(b brokenWheel) { b.current = 101 },
		"the wheel is past a slot":                    func(b brokenWheel) { b.remove(b.inBucket); b.current = 3000 },
		"a slot's earliest is too late":               func(b brokenWheel) { b.levels[1].earliest[2000/256]++ },
		"count is one too high":                       func(b brokenWheel) { b.count++ },
		"a timeout in a bucket has expired":           func(b brokenWheel) { setWord(b.inBucket, 100, 0, Expired) },
		"a timeout in a ring has expired": func(b brokenWheel) {
			setWord(b.inRing, 2000, queued, Expired)
		},
		"a timeout in the nearest slot has expired":  func(b brokenWheel) { setWord(b.near, 701, 0, Expired) },
		"a timeout was never armed":                  func(b brokenWheel) { setWord(b.inRing, 2000, 0, Unarmed) },
		"a timeout is canceled and not queued":       func(b brokenWheel) { setWord(b.inRing, 2000, 0, Canceled) },
		"a timeout is too late and not queued":       func(b brokenWheel) { setWord(b.near, 9, 0, rejectedStopped) },
		"a timeout in a ring is due before its tick": func(b brokenWheel) { setWord(b.farther, 99_999, 0, Pending) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBrokenWheel()
			require.NotPanics(t, b.check)
			breakIt(b)
			defer func() { assert.Regexp(t, "^hashedwheel: invariant: ", recover()) }()
			b.check()
		})
	}
}
