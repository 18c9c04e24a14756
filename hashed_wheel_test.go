package hashedwheel

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// wheelSizes are the smallest sizes, one word of the bitmap, the default, and a large size.
var wheelSizes = []int{1, 2, 8, 64, 512, 1 << 16}

// driver does the worker's part for a wheel in the simplest way.
type driver struct {
	hashedWheel
}

// newDriver returns a wheel with a tick of 1ns: a deadline is the number of its tick.
func newDriver(size int) *driver { return newDriverOf(1, size) }

func newDriverOf(tick time.Duration, size int) *driver {
	d := new(driver)
	k := ticks{len: int64(tick), whole: 1}
	k.never = k.of(maxDeadline)
	d.init(k, size)
	return d
}

// clamp returns the deadline for a time, which may be before the timer's start.
func clamp(ns int64) int64 { return max(0, min(ns, maxDeadline)) }

func pendingAt(deadline int64) *Timeout {
	to := new(Timeout)
	setWord(to, deadline, 0, Pending)
	return to
}

func setWord(to *Timeout, deadline, flags int64, s State) {
	to.word.Store(int64(pack(deadline, flags, s)))
}

// from makes tick the current tick of an empty wheel.
func (d *driver) from(tick tick) *driver {
	d.current, d.opening = tick, tick
	return d
}

// filedAt returns the first tick of the slot in which t is filed: its tick, if that is a bucket.
func (w *hashedWheel) filedAt(t *Timeout) tick {
	l := w.levels[t.home.level()]
	at := l.number(w.current)
	return l.begins(at + int64(t.home.slot()-l.index(at))&int64(l.size-1))
}

func (d *driver) arm(deadlines ...int64) (all []*Timeout) {
	for _, deadline := range deadlines {
		to := pendingAt(deadline)
		d.place(to, d.ticks.of(deadline))
		all = append(all, to)
	}
	return all
}

// take takes all ticks up to last, and returns the tick at which each timeout was taken. Unlike the worker, it also
// takes timeouts that were moved or canceled.
func (d *driver) take(last tick) map[*Timeout]tick {
	got := map[*Timeout]tick{}
	d.close(last)
	for tick := d.reach(last); tick != noTick; tick = d.reach(last) {
		for t := d.pop(last); t != nil; t = d.pop(last) {
			got[t] = tick
		}
	}
	d.checkAll()
	return got
}

// reach advances to the first tick, up to last, whose bucket is occupied, and returns it, or noTick.
func (d *driver) reach(last tick) tick {
	for {
		_, through := d.advance(last, portion)
		if through {
			d.leave(last)
			return noTick
		}
		if at, l := d.firstSlot(); at == d.current && l == d.levels[0] {
			return at
		}
	}
}

// This is the timeout drawn in hashed_wheel.go.
func TestTimeoutDescendsALevelWhenItsSlotBegins(t *testing.T) {
	d := newDriver(8).from(3)
	to := d.arm(1000)[0]
	isIn := func(level, slot int) {
		require.Equal(t, []int{level, slot}, []int{to.home.level(), to.home.slot()})
	}
	isIn(2, 7)
	require.Empty(t, d.take(895))
	isIn(2, 7)
	require.Empty(t, d.take(896))
	isIn(1, 58)
	require.Empty(t, d.take(999))
	isIn(1, 58)
	require.Equal(t, map[*Timeout]tick{to: 1000}, d.take(1000))
}

func TestUnreachableDeadlineIsNeverDue(t *testing.T) {
	for _, tick := range []time.Duration{1, 3, time.Millisecond, time.Hour, maxTick - 1, maxTick} {
		for _, size := range wheelSizes {
			d := newDriverOf(tick, size)
			to := d.arm(maxDeadline)[0]
			last := d.ticks.at(maxDeadline - 1) // the last tick that a clock can show
			require.Equal(t, noTick, d.nextWork(), "tick %v, size %d", tick, size)
			require.Empty(t, d.take(last), "tick %v, size %d", tick, size)
			require.Equal(t, noTick, d.nextWork(), "tick %v, size %d", tick, size)
			d.remove(to) // the timeout can still be canceled
			require.Zero(t, d.count)
		}
	}
}

func TestRingsReachMaxDeadline(t *testing.T) {
	for _, tick := range []int64{1, 2, 3, 63, 64, 65, 100_000, 1e8, 1 << 40, 1 << 58, maxDeadline} {
		for size := 1; size <= 1<<16; size *= 2 {
			d := newDriverOf(time.Duration(tick), size)
			d.arm(maxDeadline, maxDeadline-1, 0)
			d.checkAll()
			require.LessOrEqual(t, inWheel+len(d.levels), 1<<kindBits, "levels")
		}
	}
}

// trial runs random operations on a wheel and on its model, a plain slice of the pending timeouts, sorted by due tick.
type trial struct {
	*driver
	t       *testing.T
	rnd     *rand.Rand
	pending []entry    // the model
	queue   []*Timeout // stopped or moved earlier, and not yet drained
}

type entry struct {
	to    *Timeout
	due   tick
	moved bool // to later, since it was filed
}

func (r *trial) insert(e entry) {
	at, _ := slices.BinarySearchFunc(r.pending, e.due, func(e entry, due tick) int { return cmp.Compare(e.due, due) })
	r.pending = slices.Insert(r.pending, at, e)
}

// pick removes a random entry from the model.
func (r *trial) pick() entry {
	i := r.rnd.IntN(len(r.pending))
	e := r.pending[i]
	r.pending = slices.Delete(r.pending, i, i+1)
	return e
}

// randomSpan returns a span from 1 ns to months, each magnitude equally often.
func (r *trial) randomSpan() int64 { return r.rnd.Int64N(1 << (1 + r.rnd.IntN(53))) }

// randomDeadline returns a deadline in the future, rarely one in the past or at either end of the range.
func (r *trial) randomDeadline() int64 {
	now := r.ticks.start(r.current)
	switch r.rnd.IntN(40) {
	case 0:
		return maxDeadline
	case 1:
		return 0
	case 2:
		return clamp(now - r.randomSpan())
	}
	return clamp(now + r.randomSpan())
}

func (r *trial) armOne() {
	deadline := r.randomDeadline()
	to := r.arm(deadline)[0]
	r.insert(entry{to, max(r.ticks.of(deadline), r.current), false})
}

func (r *trial) moveLater() {
	e := r.pick()
	deadline := clamp(e.to.load().deadline() + r.randomSpan())
	setWord(e.to, deadline, 0, Pending)
	r.insert(entry{e.to, max(r.ticks.of(deadline), e.due), true})
}

func (r *trial) moveEarlier() {
	e := r.pick()
	setWord(e.to, clamp(e.to.load().deadline()-r.randomSpan()), queued, Pending)
	r.queue = append(r.queue, e.to)
}

func (r *trial) stop() {
	e := r.pick()
	setWord(e.to, e.to.load().deadline(), queued, Canceled)
	r.queue = append(r.queue, e.to)
}

func (r *trial) drain() {
	for _, to := range r.queue {
		if to.home != unfiled {
			r.remove(to)
		}
		if w := to.load(); w.state() == Pending {
			setWord(to, w.deadline(), 0, Pending)
			r.place(to, r.ticks.of(w.deadline()))
			r.insert(entry{to, max(r.ticks.of(w.deadline()), r.current), false})
		}
	}
	r.queue = nil
}

// advanceTo takes all ticks up to a tick, and compares the expired timeouts with the model.
func (r *trial) advanceTo(last tick) {
	expired := map[*Timeout]tick{}
	for taken := r.reach(last); taken != noTick; taken = r.reach(last) {
		require.LessOrEqual(r.t, taken, last)
		r.checkAll()
		for to := r.pop(last); to != nil; to = r.pop(last) {
			w := to.load()
			if at := r.ticks.of(w.deadline()); w.state() != Pending || w.queued() {
				continue
			} else if at > last {
				r.place(to, at)
				continue
			}
			expired[to] = taken
		}
	}
	due := 0
	for ; due < len(r.pending) && r.pending[due].due <= last; due++ {
		e := r.pending[due]
		taken, ok := expired[e.to]
		require.True(r.t, ok, "due at %d, not expired at %d", e.due, last)
		require.True(r.t, taken == e.due || e.moved && taken < e.due, "due at %d, taken at %d", e.due, taken)
	}
	require.Len(r.t, expired, due, "expired early")
	r.pending = slices.Delete(r.pending, 0, due)
}

func (r *trial) popAll() {
	n := 0
	for r.popAny() != nil {
		n++
	}
	require.Equal(r.t, len(r.pending), n)
	r.pending = nil
}

// randomTick returns a tick to advance to, often the next or the one before.
func (r *trial) randomTick() tick {
	last := r.current + r.ticks.at(r.randomSpan())
	if next := r.earliest(); next != noTick && r.rnd.IntN(2) == 0 {
		last = next - tick(r.rnd.IntN(2))
	}
	return min(last, r.ticks.at(maxDeadline-1))
}

// step runs a random operation. Without moves it runs only those after which next is exact.
func (r *trial) step(moves bool) {
	switch op := r.rnd.IntN(100); {
	case op < 40 && len(r.pending) < 200 || len(r.pending) == 0:
		r.armOne()
	case op < 70:
		r.advanceTo(r.randomTick())
	case !moves:
	case op < 82:
		r.moveLater()
	case op < 87:
		r.moveEarlier()
	case op < 92:
		r.stop()
	case op < 99:
		r.drain()
	default:
		r.drain()
		r.popAll()
	}
}

// compare checks the wheel's invariants, count and next.
func (r *trial) compare(moves bool) {
	r.checkAll()
	filed := len(r.pending)
	for _, to := range r.queue {
		if to.home != unfiled {
			filed++
		}
	}
	require.Equal(r.t, filed, r.count, "count")
	want := noTick
	if len(r.pending) > 0 {
		want = r.pending[0].due
	}
	if moves {
		require.LessOrEqual(r.t, r.earliest(), want, "next")
	} else {
		require.Equal(r.t, want, r.earliest(), "next")
	}
}

func TestWheelAgreesWithASortedSlice(t *testing.T) {
	for _, tick := range []time.Duration{1, 7, time.Millisecond} {
		for _, size := range wheelSizes {
			for name, moves := range map[string]bool{"armed only": false, "moved and stopped": true} {
				t.Run(fmt.Sprintf("tick=%v/size=%d/%s", tick, size, name), func(t *testing.T) {
					rnd := rand.New(rand.NewPCG(uint64(tick), uint64(size)))
					r := &trial{driver: newDriverOf(tick, size), t: t, rnd: rnd}
					for range 2000 {
						r.step(moves)
						r.compare(moves)
					}
				})
			}
		}
	}
}
