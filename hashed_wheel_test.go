package hashedwheel

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// wheelSizes are the least, those on a word's edge, the default, and a large one.
var wheelSizes = []int{1, 2, 8, 64, 512, 1 << 16}

// driver does the worker's part for a wheel, in the simplest way.
type driver struct {
	hashedWheel
}

// newDriver returns a wheel of 1ns ticks, so that a deadline is a tick.
func newDriver(size int) *driver { return newDriverOf(1, size) }

func newDriverOf(tick time.Duration, size int) *driver {
	d := new(driver)
	d.init(int64(tick), size)
	return d
}

func pendingAt(deadline int64) *Timeout {
	to := new(Timeout)
	setWord(to, deadline, 0, Pending)
	return to
}

func setWord(to *Timeout, deadline, flags int64, s State) {
	to.word.Store(int64(pack(deadline, flags, s)))
}

// from sets an empty wheel to a tick.
func (d *driver) from(tick int64) *driver {
	d.rewind(tick)
	return d
}

// turn is how many ticks the buckets reach.
func (d *driver) turn() int64 { return int64(len(d.levels[0].slots)) }

func (d *driver) arm(deadlines ...int64) (all []*Timeout) {
	for _, deadline := range deadlines {
		to := pendingAt(deadline)
		d.place(to, d.tickOf(deadline))
		all = append(all, to)
	}
	return all
}

// take advances to a tick and returns at which tick each timeout was taken. It
// does not mind whether that has been moved or cancelled: the worker does.
func (d *driver) take(to int64) map[*Timeout]int64 {
	got := map[*Timeout]int64{}
	d.close(to)
	for tick := d.reach(to); tick != noTick; tick = d.reach(to) {
		for t := d.pop(to); t != nil; t = d.pop(to) {
			got[t] = tick
		}
	}
	d.checkAll()
	return got
}

// reach advances to the first tick whose bucket is occupied, however much there is
// to be filed on the way.
func (d *driver) reach(last int64) int64 {
	for {
		if tick, filed := d.advance(last, portion); tick != noTick || filed < portion {
			return tick
		}
	}
}

// slotAt returns the first tick of the slot of a ring that is reached first.
func (d *driver) slotAt() int64 {
	start := int64(noTick)
	for _, l := range d.levels[1:] {
		if number := l.next(l.occupied, d.current>>l.shift, d.current); number != noTick {
			start = min(start, number<<l.shift)
		}
	}
	return start
}

// eachSize runs f with a new wheel of each size.
func eachSize(t *testing.T, f func(t *testing.T, d *driver)) {
	for _, size := range wheelSizes {
		t.Run(fmt.Sprintf("size=%d", size), func(t *testing.T) { f(t, newDriver(size)) })
	}
}

func TestTickOfRoundsUp(t *testing.T) {
	for _, row := range []struct{ tick, deadline, want int64 }{
		{10, 0, 0},
		{10, 1, 1},
		{10, 9, 1},
		{10, 10, 1},
		{10, 11, 2},
		{10, -1, 0},
		{10, -9, 0},
		{10, -10, -1},
		{10, -11, -1},
		{10, -19, -1},
		{10, -20, -2},
		{1, maxDeadline, maxDeadline},
		{1, minDeadline, minDeadline},
		{2, maxDeadline, 1 << 58},
		{2, maxDeadline - 2, 1<<58 - 1},
		{maxDeadline, maxDeadline, 1},
		{maxDeadline, 1, 1},
		{maxDeadline, 0, 0},
	} {
		assert.Equal(t, row.want, newDriverOf(time.Duration(row.tick), 2).tickOf(row.deadline), "deadline %d, tick %d", row.deadline, row.tick)
	}
}

func TestTheFirstTickIsTheOneAfterTheTimerWasMade(t *testing.T) {
	d := newDriver(4)
	d.arm(0)
	assert.Equal(t, int64(1), d.next())
}

func TestTheDrawing(t *testing.T) {
	d := newDriver(8).from(3)
	to := d.arm(1000)[0]
	require.Equal(t, 2, to.home.level())
	require.Empty(t, d.take(895))
	require.Equal(t, 2, to.home.level())
	require.Empty(t, d.take(896))
	require.Equal(t, 1, to.home.level())
	require.Empty(t, d.take(999))
	require.Equal(t, 1, to.home.level())
	require.Equal(t, map[*Timeout]int64{to: 1000}, d.take(1000))
}

// Deadlines within one tick are in one bucket, in no order: all of them are due
// at its end, and none may be missed because another is met first.
func TestABucketIsTakenWholeWhateverTheOrderOfItsDeadlines(t *testing.T) {
	d := newDriverOf(10, 64)
	for _, to := range d.arm(45, 41, 50, 49, 42) {
		require.Equal(t, int64(5), to.home.tick())
	}
	assert.Empty(t, d.take(4))
	assert.Len(t, d.take(5), 5)
}

// A tick is absolute: it was not reckoned from where the wheel happens to be.
func TestATimeoutArmedWhileTheWheelIsBehindIsTakenAtItsTick(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		d.arm(2)
		n := d.turn()
		late := d.arm(1000+5*n, 1000+5*n+1) // the wheel is still at tick 1
		assert.Len(t, d.take(1000+5*n), 2)
		assert.Equal(t, map[*Timeout]int64{late[1]: 1000 + 5*n + 1}, d.take(1000+6*n))
	})
}

func TestATickThatIsBeingTakenIsClosedToWhatItsTasksArm(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		d.arm(5, 5)
		d.close(5)
		require.Equal(t, int64(5), d.reach(5))
		again := d.arm(5)
		require.Equal(t, int64(6), again[0].home.tick())
		d.checkAll()
		d.pop(5)
		d.pop(5)
		assert.Equal(t, int64(noTick), d.reach(5))
	})
}

// What is filed late is not late by a whole pass: the clock has come to tick 90.
func TestSkipMovesOnToTheClockUnlessSomethingIsDue(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		d.skip(90)
		assert.Equal(t, int64(90), d.arm(5)[0].home.tick())
		d.skip(95)
		assert.Equal(t, int64(90), d.arm(5)[0].home.tick(), "one is due at 90")
		d.checkAll()
	})
}

func TestSkipStopsAtASlotThatHasToBeFiled(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		n := d.turn()
		to := d.arm(70 * n)[0]
		d.skip(80 * n)
		d.checkAll()
		assert.Equal(t, map[*Timeout]int64{to: 70 * n}, d.take(80*n))
	})
}

func TestAWheelIsAheadOfAClockThatWasSetBackBehindAClosedTick(t *testing.T) {
	d := newDriver(8)
	d.arm(9, 9)
	d.close(9)
	d.reach(9)
	assert.False(t, d.isAhead(9))
	assert.True(t, d.isAhead(8), "tick 9 is closed")
	d.take(9)
	assert.False(t, d.isAhead(9))
	assert.True(t, d.isAhead(8))
}

func TestAdvanceNeverTurnsTheWheelBack(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		d.take(100)
		d.arm(101)
		assert.Empty(t, d.take(50))
		assert.Equal(t, int64(101), d.current)
	})
}

func TestDeadlinesThatNoClockReachesAreNeverDue(t *testing.T) {
	for _, tick := range []time.Duration{1, 3, time.Millisecond, time.Hour, maxTick - 1, maxTick} {
		for _, size := range wheelSizes {
			d := newDriverOf(tick, size)
			to := d.arm(maxDeadline)[0]
			last := int64(maxDeadline-1) / d.hashedWheel.tick // that the clock can show
			require.Equal(t, int64(noTick), d.wake(), "tick %v, size %d", tick, size)
			require.Empty(t, d.take(last), "tick %v, size %d", tick, size)
			require.Equal(t, int64(noTick), d.wake(), "tick %v, size %d", tick, size)
			d.remove(to) // it stays cancellable
			require.Zero(t, d.count)
		}
	}
}

func TestARingReachesNeverFromTheEarliestClockThereIs(t *testing.T) {
	for _, tick := range []int64{1, 2, 3, 63, 64, 65, 100_000, 1e8, 1 << 40, 1 << 58, maxDeadline} {
		for size := 1; size <= 1<<16; size *= 2 {
			d := newDriverOf(time.Duration(tick), size)
			earliest := minDeadline/tick + 1 // behind the first tick taken
			d.from(earliest).arm(maxDeadline, maxDeadline-1, 0, minDeadline)
			d.checkAll()
			require.LessOrEqual(t, inWheel+len(d.levels), 1<<levelBits, "levels")
		}
	}
}
