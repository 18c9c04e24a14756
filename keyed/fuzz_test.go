package keyed_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// FuzzMap plays a script on a Map and on its model. The first byte is the room of the timer, whether
// all keys share one hash, and whether the Map is a renewing one. Each following pair of bytes is an
// operation on a key, and a number for it. Operations also take place inside renew, expired, and the
// loops of All and Drain.
func FuzzMap(f *testing.F) {
	for _, script := range [][]byte{
		{7},
		// A full timer.
		{2, opSet, 50, opSet + 1, 100, opSet + 2, 0, opSet + 3, 50, opPass, 5, opRelease, 0, opPass, 9, opRelease, 0},
		// Moved.
		{7, opSet, 50, opTouch, 90, opPass, 5, opRelease, 0, opTouch, 10, opPass, 1, opRelease, 0},
		{7, opSet, 20, opPass, 5, opTouch, 90, opRelease, 0, opPass, 9, opSet, 50, opRelease, 0, opPass, 9},
		// Due, deleted, and new.
		{7, opSet, 20, opPass, 5, opDelete, 0, opSet, 90, opRelease, 0, opAll, 0, opPass, 9, opRelease, 0},
		// Due, and taken out.
		{
			7, opSet, 20, opSet + 1, 20, opSet + 2, 20, opPass, 5, opDelete, 0, opCompareAndDelete + 1, 1, opDrain, 0,
			opRelease, 0, opTouch, 50, opDelete + 1, 0,
		},
		// A full timer finds and moves pending keys, refuses new ones, and has room once a key has ended.
		{
			0, opSet, 50, opGetOrSet, 90, opGetOrSet + 1, 50, opSet + 1, 50, opSet, 25, opTouch, 15, opTouch, 95,
			opTouch + 1, 9, opDelete, 0, opSet + 1, 90, opDrain, 0, opSet + 2, 50, opPass, 9, opSet + 3, 50,
			opRelease, 0,
		},
		// Due, and refused by a full timer until it has room.
		{
			0, opSet, 20, opPass, 5, opSet + 1, 90, opTouch, 90, opDelete + 1, 0, opTouch, 90, opRelease, 0,
			opPass, 10, opRelease, 0,
		},
		// A stopped timer finds keys, and refuses to move them and to take new ones.
		{
			7, opSet, 50, opSet + 1, 50, opStop, 0, opSet, 90, opSet + 2, 90, opTouch, 90, opGetOrSet, 90,
			opGetOrSet + 2, 90, opPass, 30, opRelease, 0, opDelete + 1, 0, opDrain, 0,
		},
		// Due, and refused by a full timer, which is then stopped.
		{0, opSet, 20, opPass, 5, opSet + 1, 90, opTouch, 90, opSet, 9, opRelease, 0, opDrain, 0},
		{0, opSet, 20, opPass, 5, opSet + 1, 90, opTouch, 90, opStop, 0, opRelease, 0, opDrain, 0},
		{7, opSet, 20, opSet + 1, 90, opPass, 5, opStop, 0, opTouch + 1, 1, opSet, 9, opRelease, 0, opDrain, 0},
		// Due, or moved, before the stop.
		{7, opSet, 20, opPass, 5, opStop, 0, opRelease, 0, opSet, 1, opDrain, 0},
		{7, opSet, 20, opPass, 5, opTouch, 90, opStop, 0, opRelease, 0, opDrain, 0},
		// Two runs.
		{7, opSet, 20, opPass, 5, opTouch, 0, opPass, 1, opRelease, 0},
		{7, opSet, 20, opSet + 1, 30, opSet + 2, 40, opDrain, 0, opPass, 9, opRelease, 0},
		// GetOrSet of a new key, a pending, a due and an expired one, and on a stopped timer.
		{
			7, opGetOrSet, 20, opGetOrSet, 90, opPass, 5, opGetOrSet, 50, opRelease, 0, opGetOrSet, 50, opStop, 0,
			opGetOrSet + 1, 9,
		},
		// Swap of a new key, a pending, a due and an expired one, and on a stopped timer.
		{
			7, opSwap, 50, opSwap, 20, opPass, 5, opSwap, 20, opRelease, 0, opPass, 5, opRelease, 0, opSwap, 90,
			opStop, 0, opSwap, 9, opSwap + 1, 9, opDrain, 0,
		},
		// A full timer swaps pending keys, and refuses new ones and keys that are due.
		{
			0, opSwap, 50, opSwap, 20, opSwap + 1, 20, opPass, 5, opSet + 1, 90, opSwap, 90, opRelease, 0,
			opSwap + 1, 20, opPass, 9, opRelease, 0,
		},
		// Refused, then split.
		{
			0, opSet, 20, opPass, 5, opSet + 1, 90, opTouch, 90, opSplit, 0, opRelease, 0,
			opCompareAndDelete + 1, 0,
		},
		{
			7, opSet, 50, opSet + 1, 20, opCompareAndDelete, 1, opCompareAndDelete, 0, opSplit, 0, opAll, 1,
			opPass, 9, opRelease, 0,
		},
		// Twins.
		{
			oneHash + 6, opSet, 50, opSet + 1, 20, opSplit, 0, opSet + 2, 90, opCompareAndDelete + 1, 1, opSplit, 0,
			opPass, 9, opRelease, 0,
		},
		{
			oneHash + 6, opSet, 50, opSet + 1, 20, opSet + 2, 90, opDelete, 0, opTouch + 1, 30, opSet, 20, opAll, 2,
			opPass, 9, opRelease, 0,
		},
		{
			oneHash + 6, opSet, 50, opSet + 1, 20, opSet + 2, 90, opPass, 5, opTouch + 1, 50, opSet + 2, 30, opAll, 0,
			opRelease, 0, opDelete + 2, 0, opTouch + 1, 20, opPass, 9, opRelease, 0,
		},
		// Renewed, once and twice, then expired; renewed by a timer that is stopped.
		{
			renews + 7, opAnswer, 32, opSet, 20, opPass, 5, opRelease, 0, opPass, 5, opRelease, 0, opAnswer, 0,
			opPass, 5, opRelease, 0,
		},
		{renews + 7, opAnswer, 32, opSet, 20, opPass, 5, opStop, 0, opRelease, 0, opTouch, 50, opDrain, 0},
		// A full timer renews, and refuses keys that are due.
		{
			renews, opAnswer, 32, opSet, 20, opPass, 5, opTouch, 90, opSet + 1, 20, opRelease, 0, opSet + 1, 20,
			opTouch, 9, opPass, 5, opDelete, 0, opSet + 1, 20, opPass, 5, opRelease, 0, opSet, 20,
		},
		{renews + 1, opSet, 20, opPass, 5, opTouch, 90, opSet + 1, 90, opSet + 2, 90, opRelease, 0, opSet + 2, 90},
		// Moved, replaced and deleted when due; then drained.
		{
			renews + 7, opSet, 20, opSet + 1, 20, opSet + 2, 20, opSet + 3, 20, opPass, 5, opTouch, 90, opSet + 1, 90,
			opDelete + 2, 0, opRelease, 0, opPass, 15, opDrain, 0, opRelease, 0,
		},
		// In renew: Touch and Set, Swap, panic and Delete, Drain and Stop.
		{
			renews + 3, opAnswer, 48 + 1, opAnswer + 1, 48 + 2, opSet, 20, opSet + 1, 20, opPass, 5, opRelease, 0,
			opPass, 9, opRelease, 0, opAnswer, 48 + 3, opPass, 9, opRelease, 0, opSet + 2, 20, opSet + 3, 20,
		},
		{
			renews + 7, opAnswer, 48 + 15, opAnswer + 1, 48 + 4, opAnswer + 2, 48 + 5, opSet, 20, opSet + 1, 20,
			opSet + 2, 20, opPass, 5, opRelease, 0, opSet, 20, opSet + 1, 20, opAnswer + 1, 48 + 6, opPass, 5,
			opRelease, 0,
		},
		// In renew: GetOrSet, CompareAndDelete, Split and All.
		{
			renews + 7, opAnswer, 48 + 7, opAnswer + 1, 48 + 8, opAnswer + 2, 48 + 9, opAnswer + 3, 48 + 10,
			opSet, 20, opSet + 1, 20, opSet + 2, 20, opSet + 3, 20, opPass, 5, opRelease, 0, opPass, 9, opRelease, 0,
		},
		// In renew, which then ends the value: Touch, Set, Swap, Delete and Drain.
		{
			renews + 7, opAnswer, 1, opAnswer + 1, 2, opAnswer + 2, 3, opAnswer + 3, 4, opSet, 20, opSet + 1, 20,
			opSet + 2, 20, opSet + 3, 20, opPass, 5, opRelease, 0, opAnswer + 4, 5, opSet + 4, 20, opPass, 5,
			opRelease, 0,
		},
		// In renew, for another key: Set of a new one, Touch and Delete of one that is due.
		{
			renews + 2, opAnswer, 64 + 2, opSet, 20, opPass, 5, opRelease, 0, opSet + 2, 20, opPass, 9,
			opAnswer, 64 + 1, opAnswer + 1, 64 + 4, opRelease, 0, opPass, 9, opRelease, 0,
		},
		// In expired: Set of its key, Swap, Delete, Drain, All, and a panic.
		{
			7, opAnswer, 48 + 2, opAnswer + 1, 48 + 3, opAnswer + 2, 48 + 4, opAnswer + 3, 48 + 10,
			opAnswer + 4, 48 + 15, opSet, 20, opSet + 1, 20, opSet + 2, 20, opSet + 3, 20, opSet + 4, 20, opPass, 5,
			opRelease, 0, opPass, 9, opAnswer, 48 + 5, opRelease, 0,
		},
		// In expired, of another key: Set on a timer that is full but for its place, and Touch of one that is due.
		{
			1, opAnswer, 64 + 2, opSet, 20, opSet + 4, 90, opPass, 5, opRelease, 0, opSet + 2, 20, opPass, 9,
			opAnswer + 1, 64 + 1, opRelease, 0, opPass, 9, opRelease, 0,
		},
		// In the loop of All: deleted and set again, with splits, and left by a break.
		{
			7, opSet, 50, opSet + 1, 20, opSet + 2, 90, opSet + 3, 50, opAll + 1, 10, opPass, 5, opAll + 1, 6,
			opAll + 2, 0, opAll + 3, 255, opPass, 9, opRelease, 0,
		},
		// A Drain whose function panics at the second of four values.
		{7, opSet, 50, opSet + 1, 20, opSet + 2, 90, opSet + 3, 50, opPass, 5, opDrain, 2, opRelease, 0},
		{
			renews + oneHash + 3, opSet, 50, opSet + 1, 20, opSet + 2, 90, opSet + 3, 50, opPass, 5, opDrain, 2,
			opRelease, 0,
		},
	} {
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) == 0 || len(script) > 400 {
			return
		}
		p := newPlay(t, script[0])
		defer p.tm.Stop()
		for op := range slices.Chunk(script[1:], 2) {
			if len(op) == 2 {
				p.do(op[0], int(op[1]))
				p.compare(op)
			}
		}
		p.finish()
	})
}

// The operations, in the upper five bits of a byte: the lower three are the key.
const (
	opSet byte = iota << 3
	opTouch
	opDelete
	opPass
	opRelease
	opAll
	opDrain
	opStop
	opGetOrSet
	opCompareAndDelete
	opSplit
	opSwap
	opAnswer
	opCount = iota
)

const keysInPlay = 8

// In the first byte of a script.
const (
	oneHash = 1 << 7
	renews  = 1 << 6
)

// A play is a Map on a clock that stands still, with an executor that holds due tasks, and the model
// of the Map.
type play struct {
	*testing.T
	start time.Time
	clock *hashedwheel.ManualClock
	held  *timertest.HeldBack
	tm    *hashedwheel.Timer
	m     *keyed.Map[int, int]
	ends  []string
	model model
	count int // of the values set

	answers [keysInPlay]int // what renew does and returns, or expired does: see opAnswer and meddle
}

func newPlay(t *testing.T, how byte) *play {
	room := int(how%keysInPlay) + 1
	start := time.Now()
	p := &play{T: t, start: start, clock: hashedwheel.NewManualClock(start), held: new(timertest.HeldBack)}
	p.tm = hashedwheel.MustNew(hashedwheel.WithTick(tick), hashedwheel.WithClock(p.clock),
		hashedwheel.WithExecutor(p.held), hashedwheel.WithMaxPending(room),
		hashedwheel.WithPanicHandler(func(_ *hashedwheel.Timeout, v any) { require.Equal(t, onPurpose, v) }))
	p.model = model{room: room, renews: how&renews != 0, entries: map[int]*modelEntry{}}
	if p.model.renews {
		p.m = keyed.NewRenewing(p.tm, p.renew, p.expired)
	} else {
		p.m = keyed.New(p.tm, p.expired)
	}
	if how&oneHash != 0 {
		p.m.Collide(1)
	}
	return p
}

const onPurpose = "on purpose"

// renew does and returns what the answer for the key says. The answer is a delay as for opSet.
func (p *play) renew(k, v int) (d time.Duration) {
	e := p.dueEntry(k, v)
	defer func() { p.model.answered(k, e, ticks(d)) }() // deferred: it may panic
	p.meddle(k)
	return time.Duration(p.answers[k]-5) * time.Millisecond
}

// expired has a place for another timeout, and its key is gone.
func (p *play) expired(k, v int) {
	p.ends = append(p.ends, fmt.Sprintf("%d=%d", k, v))
	if !p.model.renews {
		p.model.answered(k, p.dueEntry(k, v), 0)
		p.compareRoom()
		p.meddle(k)
	}
	p.compareRoom()
}

// dueEntry returns the model's entry of a key that is due.
func (p *play) dueEntry(k, v int) *modelEntry {
	e := p.model.entries[k]
	require.NotNil(p, e)
	require.Equal(p, due, e.state)
	require.Equal(p, e.value, v)
	return e
}

// meddle calls a method for k or a key after it, or panics, as the answer for k says.
func (p *play) meddle(k int) {
	n := p.answers[k]
	ops := []byte{opTouch, opSet, opSwap, opDelete, opDrain, opStop, opGetOrSet, opCompareAndDelete, opSplit, opAll}
	switch how := n % 16; {
	case how == 15:
		panic(onPurpose)
	case 0 < how && how <= len(ops):
		p.do(ops[how-1]|byte((k+n/64)%keysInPlay), n)
	}
}

func (p *play) do(op byte, n int) {
	key, d := int(op%keysInPlay), time.Duration(n-5)*time.Millisecond
	switch op >> 3 % opCount << 3 {
	case opSet:
		p.count++
		require.Equal(p, p.model.set(key, p.count, ticks(d)), p.m.Set(key, p.count, d))
	case opTouch:
		wantValue, wantOK := p.model.touch(key, ticks(d))
		value, ok := p.m.Touch(key, d)
		require.Equal(p, wantOK, ok)
		require.Equal(p, wantValue, value)
	case opDelete:
		wantValue, wantOK := p.model.delete(key)
		value, ok := p.m.Delete(key)
		require.Equal(p, wantOK, ok)
		require.Equal(p, wantValue, value)
	case opPass:
		p.model.pass(n % 32)
		p.clock.Advance(time.Duration(n%32) * tick)
	case opRelease:
		p.held.Release() // renew and expired tell the model
		for key, e := range p.model.entries {
			require.NotEqual(p, due, e.state, "%d was due", key)
		}
	case opAll:
		p.sweep(key, n)
	case opDrain:
		p.drain(n)
	case opStop:
		p.model.stop()
		p.tm.Stop()
	case opGetOrSet:
		p.getOrSet(key, d)
	case opCompareAndDelete:
		old := p.count - n%4 // sometimes the value of the key
		require.Equal(p, p.model.compareAndDelete(key, old), p.m.CompareAndDelete(key, old))
	case opSplit:
		p.m.Split()
	case opSwap:
		p.swap(key, d)
	case opAnswer:
		p.answers[key] = n
	}
}

func (p *play) swap(key int, d time.Duration) {
	p.count++
	wantOld, wantLoaded, wantErr := p.model.swap(key, p.count, ticks(d))
	old, loaded, err := p.m.Swap(key, p.count, d)
	require.Equal(p, wantErr, err)
	require.Equal(p, wantLoaded, loaded)
	require.Equal(p, wantOld, old)
}

func (p *play) getOrSet(key int, d time.Duration) {
	p.count++
	wantValue, wantLoaded, wantErr := p.model.getOrSet(key, p.count, ticks(d))
	value, loaded, err := p.m.GetOrSet(key, p.count, d)
	require.Equal(p, wantErr, err)
	require.Equal(p, wantLoaded, loaded)
	require.Equal(p, wantValue, value)
}

// drain calls Drain with a function that panics at a value, or with one that takes all.
func (p *play) drain(n int) {
	calls := 0
	defer func() {
		if recovered := recover(); recovered != nil {
			require.Equal(p, onPurpose, recovered)
			return
		}
		require.Empty(p, p.model.entries)
	}()
	p.m.Drain(func(k, v int) {
		want, ok := p.model.delete(k)
		require.True(p, ok)
		require.Equal(p, want, v)
		if calls++; calls == n%keysInPlay {
			panic(onPurpose)
		}
	})
}

// sweep changes the map in the body of an All: a key whose bit of n is set is deleted, and set
// again if it is odd; the other keys are touched. All shards may be split in each body, and the
// first body may be the last.
func (p *play) sweep(how, n int) {
	seen := map[int]int{}
	for k, v := range p.m.All() {
		require.Equal(p, p.model.entries[k].value, v)
		seen[k]++
		if how&1 != 0 {
			p.m.Split()
		}
		if n&(1<<k) == 0 {
			p.do(opTouch|byte(k), n)
		} else {
			p.do(opDelete|byte(k), 0)
			if k%2 == 1 && seen[k] == 1 {
				p.do(opSet|byte(k), n)
			}
		}
		if how&2 != 0 {
			break
		}
	}
	for k, times := range seen {
		require.True(p, times == 1 || k%2 == 1 && n&(1<<k) != 0, "%d was seen %d times", k, times)
	}
}

// compare checks the Map against the model.
func (p *play) compare(op []byte) {
	slices.Sort(p.ends)
	require.Equal(p, p.model.takeEnds(), p.ends, "ends after %v", op)
	p.ends = nil
	want := map[int]int{}
	for key := range keysInPlay {
		v, ok := p.m.Get(key)
		at, isThere := p.m.Deadline(key)
		e := p.model.entries[key]
		require.Equal(p, e != nil, ok)
		require.Equal(p, e != nil, isThere)
		if e == nil {
			require.Zero(p, v)
			require.Zero(p, at)
			continue
		}
		want[key] = e.value
		require.Equal(p, e.value, v)
		require.Equal(p, e.asked, ticks(at.Sub(p.start)), "Deadline of %d after %v", key, op)
	}
	got := map[int]int{}
	for k, v := range p.m.All() {
		require.NotContains(p, got, k)
		got[k] = v
	}
	require.Equal(p, want, got, "content after %v", op)
	require.Equal(p, len(want), p.m.Len())
	require.Equal(p, p.model.pending(), p.tm.Pending(), "after %v", op)
	p.compareRoom()
}

// compareRoom checks whether the timer has room for one more timeout.
func (p *play) compareRoom() {
	to, err := p.tm.Schedule(time.Hour, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {}))
	require.Equal(p, p.model.refuses(nil), err)
	if err == nil {
		to.Stop()
	}
}

// finish lets all values expire that can, and drains the rest: then all places are free.
func (p *play) finish() {
	p.answers = [keysInPlay]int{}
	p.do(opPass, 31)
	p.do(opRelease, 0)
	p.compare([]byte("finish"))
	if !p.model.stopped {
		require.Zero(p, p.m.Len())
	}
	p.do(opDrain, 0)
	p.compare([]byte("drain"))
	require.Zero(p, p.m.Len())
	for key := range keysInPlay {
		p.do(opSet|byte(key), 0)
	}
	p.compare([]byte("filled"))
}
