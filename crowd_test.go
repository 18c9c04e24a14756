package hashedwheel

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A crowd is thinned ahead of its tick. These tests do it as the worker does, a portion at a time.

// armCrowd arms n timeouts, spread evenly over so many ticks from first on.
func (d *driver) armCrowd(n int, first, ticks tick) (all []*Timeout) {
	for i := range tick(n) {
		all = append(all, d.arm(d.ticks.start(first+i%ticks))...)
	}
	return all
}

// openCrowd advances to the tick at which a crowd is to be opened, and files one portion of the crowd.
func (d *driver) openCrowd(t *testing.T) {
	t.Helper()
	d.take(d.nextWork())
	require.True(t, d.thin(), "it is opened")
	require.True(t, d.thin())
}

// thinAll thins until no crowd is left to be opened, and returns how many portions that took. It fails if
// a timeout is filed in its own slot again.
func (d *driver) thinAll(t *testing.T) (portions int) {
	t.Helper()
	for d.thin() {
		portions++
		require.Less(t, portions, 2+8*(d.count/portion+1), "thin does not end")
		d.checkAll()
		for k, l := range d.levels {
			if c := l.opened; l.shift > 0 && c.unseen > 0 {
				require.Equal(t, c.unseen, l.len(c.number), "a timeout of level %d was filed in its own slot again", k)
			}
		}
	}
	return portions
}

// A timeout must never be filed on a higher level.
func TestCrowdOpenedEarlyOnlyDescends(t *testing.T) {
	const n = crowd + 100
	sizes := []int{1, 2, 8, 64, 512}
	if testing.Short() {
		sizes = []int{1, 8, 512}
	}
	for _, size := range sizes {
		for _, current := range []tick{1, 12345} { // no time is before the timer's start
			for _, distance := range []tick{40, 700, 70_000, 9_999_999} {
				t.Run(fmt.Sprintf("size=%d/from=%d/by=%d", size, current, distance), func(t *testing.T) {
					d := newDriver(size).from(current)
					due := current + distance
					all := d.armCrowd(n, due, 1)
					level := all[0].home.level()
					opened := 0
					for wake := d.nextWork(); wake < due; wake = d.nextWork() {
						require.Empty(t, d.take(wake))
						opened += d.thinAll(t)
						for _, to := range all {
							require.LessOrEqual(t, to.home.level(), level)
						}
						level = all[0].home.level()
					}
					require.Positive(t, opened, "no crowd was opened early")
					got := d.take(due)
					require.Len(t, got, n)
					for _, to := range all {
						require.Equal(t, due, got[to])
					}
				})
			}
		}
	}
}

// thinningTicks returns how many ticks of a millisecond are allowed for thinning a bucket of n timeouts: 500 ns for
// each.
func thinningTicks(n int) tick { return tick(n) * 500 / 1e6 }

func TestCrowdInASlotIsOpenedAtCrowdAt(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	d.armCrowd(10*crowd, 1024, 256) // in slot 4 of level 1
	l := d.levels[1]
	number, at := l.crowdAt(d.current, d.ticks.len)
	require.Equal(t, int64(4), number)
	require.Equal(t, tick(1024-256), at, "a slot ahead")
	require.Equal(t, at, d.nextWork())
	d.take(at - 1)
	require.False(t, d.thin(), "too early")
	d.take(at)
	require.True(t, d.thin(), "it is opened")
	require.Equal(t, int64(4), l.opened.number)
	require.True(t, d.thin())
	assert.Equal(t, 10*crowd-portion, l.slots.len(4))
}

func TestSlotBecomesACrowdAtTheLimit(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	all := d.armCrowd(crowd-1, 1024, 256)
	_, at := d.levels[1].crowdAt(d.current, d.ticks.len)
	require.Equal(t, noTick, at)
	all = append(all, d.arm(1030*d.ticks.len)...)
	_, at = d.levels[1].crowdAt(d.current, d.ticks.len)
	require.Less(t, at, tick(1024))
	d.remove(all[0])
	_, at = d.levels[1].crowdAt(d.current, d.ticks.len)
	assert.Equal(t, noTick, at)
}

func TestCrowdAtLeavesTimeForLaterCrowds(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	d.armCrowd(2*crowd, 400, 1)
	_, at := d.levels[0].crowdAt(d.current, d.ticks.len)
	require.Equal(t, 400-thinningTicks(2*crowd)-1, at)
	d.armCrowd(20*crowd, 402, 1) // both are done by tick 402 only if the first is opened even earlier
	number, at := d.levels[0].crowdAt(d.current, d.ticks.len)
	assert.Equal(t, int64(400), number)
	assert.Equal(t, min(400-thinningTicks(2*crowd), 402-thinningTicks(22*crowd))-1, at)
}

// Moved timeouts are found among any number of due ones, wherever these are in the bucket.
func TestThinFindsMovedTimeoutsAmongDueOnes(t *testing.T) {
	const each = portion / 4 // so many of a portion are moved
	for name, isMoved := range map[string]func(i int) bool{
		"the first armed": func(i int) bool { return i < crowd },
		"the last armed":  func(i int) bool { return i >= 3*crowd },
		"scattered":       func(i int) bool { return i%each == 0 },
		"all except some": func(i int) bool { return i < 4*crowd-4*crowd/each },
	} {
		t.Run(name, func(t *testing.T) {
			d, moved := newDriverOf(time.Millisecond, 512), 0
			for i, to := range d.armCrowd(4*crowd, 400, 1) {
				if isMoved(i) {
					setWord(to, 90_000*d.ticks.len, alone, Pending)
					moved++
				}
			}
			d.take(d.nextWork())
			d.thinAll(t)
			assert.Equal(t, 4*crowd-moved, d.levels[0].slots.len(400))
		})
	}
}

// A crowd may form in a bucket before the one that was opened last.
func TestCrowdBeforeAnOpenedCrowdIsThinned(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	d.armCrowd(10*crowd, 400, 1)
	d.take(min(d.nextWork(), 385))
	d.thinAll(t)
	for _, to := range d.armCrowd(2*crowd, 396, 1) {
		setWord(to, 90_000*d.ticks.len, alone, Pending)
	}
	for wake := d.nextWork(); wake < 396; wake = d.nextWork() {
		d.take(wake)
		d.thinAll(t)
	}
	assert.Zero(t, d.levels[0].slots.len(396))
}

func TestTimeoutsOfAnOpenedSlotCanBeRemovedAndPopped(t *testing.T) {
	forEachSize(t, func(t *testing.T, d *driver) {
		all := d.armCrowd(3*crowd, 100*d.turnLen(), 1)
		d.openCrowd(t)
		for _, to := range all[crowd:] {
			d.remove(to)
		}
		d.checkAll()
		d.thin()
		d.checkAll()
		popped := 0
		for d.popAny() != nil {
			popped++
		}
		d.checkAll()
		assert.Equal(t, crowd, popped)
	})
}
