package hashedwheel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wheelSizes are the smallest sizes, one word of the bitmap, the default, and the largest.
var wheelSizes = []int{1, 2, 8, 64, 512, 1 << 16}

func newWheel(tick time.Duration, size, few int) *hashedWheel {
	w := new(hashedWheel)
	w.init(int64(tick), size, few)
	return w
}

// clamp returns the deadline for a time, which may be before the timer's start.
func clamp(ns int64) int64 { return max(0, min(ns, maxDeadline)) }

func setWord(to *Timeout, deadline, flags int64, s State) {
	to.word.Store(int64(pack(deadline, flags, s)))
}

func (w *hashedWheel) arm(deadlines ...int64) (all []*Timeout) {
	for _, deadline := range deadlines {
		to := new(Timeout)
		setWord(to, deadline, 0, Pending)
		w.place(to, deadline)
		all = append(all, to)
	}
	return all
}

// take takes all timeouts that a pass of the worker takes at a time.
func (w *hashedWheel) take(now int64) (taken []*Timeout) {
	w.open(now)
	for through := false; !through; _, through = w.advance(portion) {
		for t, _ := w.pop(portion); t != nil || w.unseen > 0; t, _ = w.pop(portion) {
			switch {
			case t == nil: // it has looked at a portion
			case t.load().isDue(now):
				taken = append(taken, t)
			case t.State() == Pending:
				w.place(t, t.load().deadline())
			}
		}
	}
	return taken
}

// filedAt returns the level in which t is filed, and the first tick of its slot.
func (w *hashedWheel) filedAt(t *Timeout) [2]int64 {
	l := w.levels[t.home.level()]
	at := l.number(w.current)
	return [2]int64{int64(t.home.level()), int64(l.begins(at + int64(t.home.slot()-l.index(at))&int64(l.size-1)))}
}

// This is the timeout drawn in hashed_wheel.go.
func TestTimeoutDescendsALevelWhenItsSlotBegins(t *testing.T) {
	w := newWheel(1, 8, few)
	w.open(3)
	all := w.arm(1000)
	for _, at := range []struct {
		now   int64
		filed [2]int64
	}{{3, [2]int64{2, 896}}, {895, [2]int64{2, 896}}, {896, [2]int64{1, 1000}}, {999, [2]int64{1, 1000}}} {
		require.Empty(t, w.take(at.now))
		require.Equal(t, at.filed, w.filedAt(all[0]), "at %d", at.now)
	}
	require.Equal(t, all, w.take(1000))
}

func TestUnreachableDeadlineIsNeverDue(t *testing.T) {
	for _, tick := range []time.Duration{1, 3, time.Millisecond, time.Hour, maxTick - 1, maxTick} {
		for _, size := range wheelSizes {
			w := newWheel(tick, size, few)
			to := w.arm(maxDeadline)[0]
			require.Equal(t, int64(maxDeadline), w.nextWork(), "tick %v, size %d", tick, size)
			require.Empty(t, w.take(maxDeadline-1), "tick %v, size %d", tick, size)
			require.Equal(t, int64(maxDeadline), w.nextWork(), "tick %v, size %d", tick, size)
			w.remove(to) // the timeout can still be canceled
			require.Zero(t, w.count)
		}
	}
}

func TestRingsReachMaxDeadline(t *testing.T) {
	for _, tick := range []time.Duration{1, 2, 3, 63, 64, 65, 100_000, 1e8, 1 << 40, 1 << 58, maxDeadline} {
		for size := 1; size <= 1<<16; size *= 2 {
			w := newWheel(tick, size, few)
			w.arm(maxDeadline, maxDeadline-1, 0)
			w.check(w.closed)
			require.LessOrEqual(t, inWheel+len(w.levels), 1<<kindBits, "levels")
		}
	}
}

func TestFullerBucketIsTakenWhenItsTickHasEnded(t *testing.T) {
	for n, want := range map[int][2]int64{few: {1300, 1300}, few + 1: {1300, 2000}} {
		w := newWheel(1000, 8, few)
		for i := range n {
			w.arm(1300 + int64(i))
		}
		assert.Equal(t, want[1], w.next())
		assert.Empty(t, w.take(want[0]-1))
		assert.Len(t, w.take(want[1]-1), 0)
		assert.NotEmpty(t, w.take(want[1]))
	}
}

func TestTimeoutMovedLaterIsNotDueAtItsOldTime(t *testing.T) {
	for _, to := range []int64{5999, 6000, 9_000, 70_000, 9_000_000} {
		w := newWheel(1000, 8, few)
		all := w.arm(5400)
		setWord(all[0], to, 0, Pending)
		assert.Equal(t, to, w.next())
		assert.Equal(t, to, w.next())
		assert.Empty(t, w.take(to-1))
		assert.Equal(t, all, w.take(to))
	}
}

func TestCrowdInASlotIsThinnedWhileTheWheelIsInTheSlotBefore(t *testing.T) {
	w := newWheel(time.Millisecond, 512, few)
	for i := range 10 * crowd {
		w.arm(w.start(1024 + tick(i%256))) // in slot 4 of level 1
	}
	l, at := w.levels[1], w.start(1024-256+1)
	require.Equal(t, at, w.nextWork(), "a slot ahead: before that its timeouts do not fit into the level below")
	w.take(at - 1)
	require.False(t, w.thin())
	w.take(at)
	for n := 10 * crowd; w.thin(); {
		n -= portion
		require.Equal(t, n, l.slots.len(4))
	}
	assert.Less(t, l.slots.len(4), crowd)
	assert.Greater(t, w.nextWork(), at)
}

// trial runs random operations on a wheel and on its model, a slice of the timeouts that are pending or queued.
type trial struct {
	*hashedWheel
	t       *testing.T
	rnd     *rand.Rand
	entries []*entry
	queue   []*entry // armed, stopped or moved earlier, and not drained yet
}

type entry struct {
	to  *Timeout
	due int64 // once it is filed
}

// randomSpan returns a span from 1 ns to months, each magnitude equally often.
func (r *trial) randomSpan() int64 { return r.rnd.Int64N(1 << (1 + r.rnd.IntN(53))) }

// randomDeadline returns a deadline in the future, often in the tick of another, rarely in the past or at an end.
func (r *trial) randomDeadline() int64 {
	switch op := r.rnd.IntN(40); {
	case op == 0:
		return maxDeadline
	case op == 1:
		return 0
	case op == 2:
		return clamp(r.closed - r.randomSpan())
	case op < 20 && len(r.entries) > 0:
		start := r.start(r.tickAt(r.pick().to.load().deadline()))
		return clamp(start + r.rnd.Int64N(r.tickLen))
	}
	return clamp(r.closed + r.randomSpan())
}

func (r *trial) pick() *entry { return r.entries[r.rnd.IntN(len(r.entries))] }

func (r *trial) armOne(deadline int64) {
	e := &entry{to: new(Timeout)}
	e.to.beginNew(deadline)
	r.entries = append(r.entries, e)
	r.queue = append(r.queue, e)
}

// change moves or stops a random timeout.
func (r *trial) change(transition func(t *Timeout, w word) (push, ok bool)) {
	if e := r.pick(); e.to.State() == Pending {
		push, _ := transition(e.to, e.to.load())
		e.due = max(e.due, e.to.load().deadline())
		if push {
			r.queue = append(r.queue, e)
		}
	}
}

func (r *trial) moveLater() {
	r.change(func(t *Timeout, w word) (push, ok bool) { return t.move(w, clamp(w.deadline()+r.randomSpan())) })
}

func (r *trial) moveEarlier() {
	r.change(func(t *Timeout, w word) (push, ok bool) { return t.move(w, clamp(w.deadline()-r.randomSpan())) })
}

// drain files the queue, as the intake of a pass or, as other goroutines do, between passes.
func (r *trial) drain(isIntake bool) {
	for _, e := range r.queue {
		if e.to.home != unfiled {
			r.remove(e.to)
		}
		w := e.to.unqueue()
		e.due = w.deadline()
		switch {
		case w.state() != Pending:
		case isIntake:
			r.put(e.to, e.due)
		default:
			r.place(e.to, e.due)
			if e.due <= r.closed {
				e.due = r.start(r.tickAt(r.closed) + 1)
			}
		}
	}
	r.queue = nil
	r.forget()
}

// forget forgets timeouts that are neither pending nor queued.
func (r *trial) forget() {
	r.entries = slices.DeleteFunc(r.entries, func(e *entry) bool {
		return e.to.State() != Pending && !e.to.load().queued()
	})
}

// pass takes the timeouts that are due, and compares them with the model.
func (r *trial) pass(now int64) {
	intake := r.queue
	r.open(now)
	r.drain(true)
	for _, to := range r.take(now) {
		setWord(to, to.load().deadline(), 0, Expired)
	}
	open := r.tickAt(now)
	for _, e := range r.entries {
		mayWait := e.due > r.start(open) && r.levels[0].len(int64(open)) > r.few && !slices.Contains(intake, e)
		if isTaken := e.to.State() == Expired; isTaken && e.due > now || !isTaken && e.due <= now && !mayWait {
			require.Fail(r.t, "wrong time", "due at %d, taken at %d: %t", e.due, now, isTaken)
		}
	}
	r.forget()
	require.Greater(r.t, r.next(), now, "a run at next takes something")
}

// randomTime returns a time to advance to, often the next or the one before.
func (r *trial) randomTime() int64 {
	at := r.closed + r.randomSpan()
	if next := r.next(); next != maxDeadline && r.rnd.IntN(2) == 0 {
		at = next - int64(r.rnd.IntN(2))
	}
	return min(max(at, r.closed), maxDeadline-1-r.tickLen)
}

func (r *trial) popAll() {
	r.drain(false)
	for range r.entries {
		require.NotNil(r.t, r.popAny())
	}
	require.Nil(r.t, r.popAny())
	r.entries = nil
}

// step runs a random operation. Without moves it runs only those after which next is exact.
func (r *trial) step(moves bool) {
	switch op := r.rnd.IntN(100); {
	case op < 35 && len(r.entries) < 200 || len(r.entries) == 0:
		r.armOne(r.randomDeadline())
	case op < 55:
		r.drain(false)
	case op < 75:
		r.pass(r.randomTime())
	case op < 78:
		r.thin()
	case !moves:
	case op < 87:
		r.moveLater()
	case op < 92:
		r.moveEarlier()
	case op < 99:
		r.change((*Timeout).cancel)
	default:
		r.popAll()
	}
}

// compare checks the wheel's invariants, count and, often, next.
func (r *trial) compare(moves bool) {
	next := int64(0)
	if r.rnd.IntN(2) == 0 {
		next = r.next()
	}
	r.check(r.closed)
	filed, lost, want := 0, 0, int64(maxDeadline)
	for _, e := range r.entries {
		if e.to.home != unfiled {
			filed++
		}
		switch {
		case e.to.load().queued():
		case e.to.home == unfiled:
			lost++
		case e.to.home.level() == 0 && r.waits(r.filedAt(e.to)[1]):
			want = min(want, r.start(tick(r.filedAt(e.to)[1])+1))
		default:
			want = min(want, e.due)
		}
	}
	require.Zero(r.t, lost, "lost")
	require.Equal(r.t, filed, r.count, "count")
	require.LessOrEqual(r.t, next, max(want, r.closed), "next") // a fuller bucket may have kept some
	if !moves {
		require.Equal(r.t, want, r.next(), "next")
	}
}

func TestWheelAgreesWithASlice(t *testing.T) {
	for _, tick := range []time.Duration{1, 7, time.Millisecond} {
		for _, size := range wheelSizes {
			for _, few := range []int{3, few, math.MaxInt} {
				for name, moves := range map[string]bool{"armed only": false, "moved and stopped": true} {
					t.Run(fmt.Sprintf("tick=%v/size=%d/few=%d/%s", tick, size, few, name), func(t *testing.T) {
						rnd := rand.New(rand.NewPCG(uint64(tick), uint64(size)))
						r := &trial{hashedWheel: newWheel(tick, size, few), t: t, rnd: rnd}
						for range 1000 {
							r.step(moves)
							r.compare(moves)
						}
					})
				}
			}
		}
	}
}
