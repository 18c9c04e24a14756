package hashedwheel

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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
	d.init(newTicks(int64(tick)), size)
	return d
}

// clamp returns the deadline that stands for a time, which may be before the timer's start.
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

// turnLen returns how many ticks one turn of the buckets takes.
func (d *driver) turnLen() tick { return tick(d.levels[0].size) }

func (d *driver) arm(deadlines ...int64) (all []*Timeout) {
	for _, deadline := range deadlines {
		to := pendingAt(deadline)
		d.place(to, d.ticks.of(deadline))
		all = append(all, to)
	}
	return all
}

// take takes all ticks up to last, and returns at which tick each timeout was taken. Unlike the worker,
// it also takes timeouts that were moved or canceled.
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

// forEachSize runs f with a wheel of each size.
func forEachSize(t *testing.T, f func(t *testing.T, d *driver)) {
	for _, size := range wheelSizes {
		t.Run(fmt.Sprintf("size=%d", size), func(t *testing.T) { f(t, newDriver(size)) })
	}
}

// The journey that docs/how-it-works.md draws.
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

func TestTurnMovesOnUnlessATimeoutIsFiledBefore(t *testing.T) {
	forEachSize(t, func(t *testing.T, d *driver) {
		d.turn(90)
		assert.EqualValues(t, 90, d.filedAt(d.arm(5)[0]))
		d.turn(95)
		assert.EqualValues(t, 90, d.filedAt(d.arm(5)[0]), "a timeout is due at 90")
		d.checkAll()
	})
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

// A timeout that was moved earlier is also in the queue, and the next drain files it again. If its push
// is refused, only the wheel holds the timeout, and Timer.Stop must find it there.
func TestRefileKeepsATimeoutMovedEarlier(t *testing.T) {
	d := newDriver(8)
	to := d.arm(100)[0]
	setWord(to, 2, queued, Pending)
	d.current, d.opening = 64, 64 // the first tick of the timeout's slot
	d.fileAgain(d.popFrom(d.levels[to.home.level()], to.home.slot()))
	assert.EqualValues(t, 64, d.filedAt(to))
}
