package hashedwheel

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRemoveTakesTheTimeoutOutOfTheWheel(t *testing.T) {
	for _, row := range []struct {
		name  string
		armed []int64
		next  int64 // once the first of armed is removed
	}{
		{"the only one in a bucket", []int64{3}, noTick},
		{"one of two in a bucket", []int64{3, 3}, 3},
		{"the only one in a slot", []int64{17}, noTick},
		{"one of two in a slot", []int64{17, 17}, 17},
		{"the only one in a bucket, with another bucket behind it", []int64{3, 4}, 4},
		{"the only one in a slot, with another ring behind it", []int64{17, 1000}, 1000},
		{"a timeout clamped to the current tick", []int64{-5, 2}, 2},
		{"a far timeout, with a near one before it", []int64{1 << 40, 2}, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newDriver(8)
			removed := d.arm(row.armed...)[0]
			d.remove(removed)
			d.checkAll()
			assert.Equal(t, home(unfiled), removed.home)
			assert.Equal(t, len(row.armed)-1, d.count)
			assert.Equal(t, row.next, d.next())
			assert.Zero(t, d.take(maxDeadline - 1)[removed], "the tick at which it was taken")
		})
	}
}

func TestRemovedTimeoutCanBePlacedAgain(t *testing.T) {
	forEachSize(t, func(t *testing.T, d *driver) {
		to := d.arm(1 << 30)[0]
		for _, tick := range []int64{5, 1 << 40, 5, 7} {
			d.remove(to)
			setWord(to, tick, 0, Pending)
			d.place(to, tick)
			d.checkAll()
		}
		assert.Equal(t, map[*Timeout]int64{to: 7}, d.take(100))
	})
}

// A Reset to later changes only the word, so the timeout stays in the ring's slot of its old tick. When
// the wheel reaches that slot, the timeout must be filed for the new deadline, and not be taken at the
// old one.
func TestRefileUsesTheNewDeadline(t *testing.T) {
	forEachSize(t, func(t *testing.T, empty *driver) {
		n := empty.turnLen()
		old := 1 + 70*n
		for _, deadline := range []int64{old + 1, old + n, old + 64*n, old + 5000*n, 1 << 55} {
			d := newDriver(int(empty.turnLen()))
			to := d.arm(old)[0]
			setWord(to, deadline, 0, Pending)
			require.Equal(t, map[*Timeout]int64{to: deadline}, d.take(1<<55), "moved to %d", deadline)
		}
	})
}

// The wheel takes the timeout out of the bucket, and the worker files it again: see guarded.consider.
func TestTimeoutMovedLaterInABucketIsTakenAtItsOldTick(t *testing.T) {
	d := newDriver(8)
	to := d.arm(5)[0]
	setWord(to, 100, 0, Pending)
	assert.Equal(t, map[*Timeout]int64{to: 5}, d.take(50))
}

func TestRefileDropsTimeoutsThatAreNoLongerPending(t *testing.T) {
	for _, s := range []State{Canceled, Rejected} {
		forEachSize(t, func(t *testing.T, d *driver) {
			n := d.turnLen()
			all := d.arm(1+70*n, 1+70*n)
			setWord(all[0], 1+70*n, queued, s)
			require.Equal(t, map[*Timeout]int64{all[1]: 1 + 70*n}, d.take(1+70*n))
			assert.Equal(t, home(unfiled), all[0].home)
			assert.Zero(t, d.count)
		})
	}
}

// A timeout that was moved earlier is also in the queue, and the next drain files it again. If its push
// is refused, only the wheel holds the timeout, and Timer.Stop must find it there.
func TestRefileKeepsATimeoutMovedEarlier(t *testing.T) {
	d := newDriver(8)
	to := d.arm(100)[0]
	setWord(to, 2, queued, Pending)
	d.current, d.floor, d.opening = 64, 64, 64 // the first tick of the timeout's slot
	d.fileAgain(d.popFrom(d.levels[to.home.level()], to.home.slot()))
	assert.EqualValues(t, 64, d.filedAt(to))
}

func TestPopAnyRemovesEveryTimeoutOnce(t *testing.T) {
	forEachSize(t, func(t *testing.T, d *driver) {
		n := d.turnLen()
		all := d.arm(5, 5, 6, 6+n, 6+n, 6+70*n, 1<<40, maxDeadline, 0)
		var got []*Timeout
		for to := d.popAny(); to != nil; to = d.popAny() {
			require.Equal(t, home(unfiled), to.home)
			d.checkAll()
			got = append(got, to)
		}
		assert.Equal(t, indexes(all, all), indexes(all, got))
		assert.Zero(t, d.count)
		assert.Equal(t, int64(noTick), d.next())
	})
}

func TestPopReturnsNilIfCurrentIsLaterThanLast(t *testing.T) {
	d := newDriver(8)
	d.arm(1)
	assert.Nil(t, d.pop(0))
	assert.NotNil(t, d.pop(1))
	assert.Nil(t, d.pop(1))
}
