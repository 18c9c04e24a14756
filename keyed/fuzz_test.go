package keyed_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// FuzzMap plays a script on a Map and on its model. The first byte holds the bound of the timer, and flags for keys
// that share one hash, for a renewing Map, and for a Map whose expired is nil. Each following pair of bytes is an
// operation on a key, and a number for it. Operations also take place inside renew, expired, and the loops of All.
// testdata/scripts.txt has the seeds, each with a name.
func FuzzMap(f *testing.F) {
	seeds, err := os.ReadFile("testdata/scripts.txt")
	require.NoError(f, err)
	for line := range strings.Lines(string(seeds)) {
		var name string
		var script []byte
		_, err := fmt.Sscanf(line, "%s %q", &name, &script)
		require.NoError(f, err)
		f.Add(script)
	}
	f.Fuzz(func(t *testing.T, script []byte) {
		if len(script) == 0 || len(script) > 400 {
			return
		}
		p := newPlay(t, script[0])
		defer p.tm.StopAll()
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

// Flags in the first byte of a script.
const (
	oneHash = 1 << 7
	renews  = 1 << 6
	silent  = 1 << 5
)

// A play is a Map on a clock that stands still, with an executor that holds due tasks, and the model of the Map.
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

	answers [keysInPlay]int // how renew or expired acts, and what renew returns: see opAnswer and meddle
}

func newPlay(t *testing.T, how byte) *play {
	room := int(how%keysInPlay) + 1
	start := time.Now()
	p := &play{T: t, start: start, clock: hashedwheel.NewManualClock(start), held: new(timertest.HeldBack)}
	p.tm = hashedwheel.MustNew(hashedwheel.WithTick(tick), hashedwheel.WithClock(p.clock),
		hashedwheel.WithExecutor(p.held), hashedwheel.WithMaxPending(room),
		hashedwheel.WithPanicHandler(func(_ *hashedwheel.Timeout, v any) { require.Equal(t, onPurpose, v) }))
	p.model = model{room: room, renews: how&renews != 0, silent: how&silent != 0, entries: map[int]*modelEntry{}}
	expired := p.expired
	if p.model.silent {
		expired = nil
	}
	if p.model.renews {
		p.m = keyed.NewRenewing(p.tm, p.renew, expired)
	} else {
		p.m = keyed.New(p.tm, expired)
	}
	if how&oneHash != 0 {
		p.m.Collide(1)
	}
	return p
}

const onPurpose = "on purpose"

// renew acts as the key's answer says, and returns it as a delay, as for opSet.
func (p *play) renew(k, v int) (d time.Duration) {
	e := p.dueEntry(k, v)
	defer func() { p.model.answered(e, ticks(d)) }() // deferred: it may panic
	p.meddle(k)
	return time.Duration(p.answers[k]-5) * time.Millisecond
}

// expired is called with a value that the map no longer holds.
func (p *play) expired(k, v int) {
	p.ends = append(p.ends, fmt.Sprintf("%d=%d", k, v))
	if !p.model.renews {
		p.model.answered(p.dueEntry(k, v), 0)
		p.meddle(k)
	}
}

// dueEntry returns the model's entry of a value that is due.
func (p *play) dueEntry(k, v int) *modelEntry {
	e := p.model.entry(k, v)
	require.NotNil(p, e)
	require.Equal(p, due, e.state)
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

// do performs an operation on the Map and on the model, which return the same.
func (p *play) do(op byte, n int) {
	key, d := int(op%keysInPlay), time.Duration(n-5)*time.Millisecond
	switch op >> 3 % opCount << 3 {
	case opSet:
		p.count++
		require.Equal(p, p.model.set(key, p.count, ticks(d)), p.m.Set(key, p.count, d))
	case opTouch:
		require.Equal(p, results(p.model.touch(key, ticks(d))), results(p.m.Touch(key, d)))
	case opDelete:
		require.Equal(p, results(p.model.delete(key)), results(p.m.Delete(key)))
	case opPass:
		p.model.pass(n % 32)
		p.clock.Advance(time.Duration(n%32) * tick)
	case opRelease:
		p.held.Release() // renew and expired update the model
		for _, e := range p.model.all() {
			require.NotEqual(p, due, e.state, "%d was due", e.key)
		}
	case opAll:
		p.sweep(key, n)
	case opDrain:
		p.drain(n)
	case opStop:
		p.model.stop()
		p.tm.StopAll()
	case opGetOrSet:
		p.count++
		require.Equal(p, results(p.model.getOrSet(key, p.count, ticks(d))), results(p.m.GetOrSet(key, p.count, d)))
	case opCompareAndDelete:
		old := p.count - n%4 // sometimes the value of the key
		require.Equal(p, p.model.compareAndDelete(key, old), p.m.CompareAndDelete(key, old))
	case opSplit:
		p.m.Split()
	case opSwap:
		p.count++
		require.Equal(p, results(p.model.swap(key, p.count, ticks(d))), results(p.m.Swap(key, p.count, d)))
	case opAnswer:
		p.answers[key] = n
	}
}

// results collects the results of a call.
func results(all ...any) []any { return all }

// drain calls Drain with a function that panics at a value, or with one that takes all.
func (p *play) drain(n int) {
	calls := 0
	defer func() {
		if recovered := recover(); recovered != nil {
			require.Equal(p, onPurpose, recovered)
			return
		}
		require.Empty(p, p.model.all())
	}()
	p.m.Drain(func(k, v int) {
		require.True(p, p.model.remove(p.model.entry(k, v)))
		if calls++; calls == n%keysInPlay {
			panic(onPurpose)
		}
	})
}

// sweep changes the map in the body of an All: a key whose bit of n is set is deleted, and set again if it is odd; the
// other keys are touched. All shards may be split in each body, and the first body may be the last.
func (p *play) sweep(how, n int) {
	seen := map[int]int{}
	for k, v := range p.m.All() {
		require.Equal(p, p.model.find(k).value, v)
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
		e := p.model.find(key)
		require.Equal(p, e != nil, ok, "Get of %d after %v", key, op)
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
	require.Equal(p, len(p.model.all()), p.m.Len())
	require.Equal(p, p.model.pending(), p.tm.Pending(), "after %v", op)
}

// finish expires every value that can expire, and drains the rest: then all permits are free.
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
