package hashedwheel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestRemoveTakesATimeoutOut(t *testing.T) {
	for _, row := range []struct {
		says  string
		armed []int64
		next  int64 // once the first of them is removed
	}{
		{"the only one in a bucket", []int64{3}, noTick},
		{"one of two in a bucket", []int64{3, 3}, 3},
		{"the only one in a slot", []int64{17}, noTick},
		{"one of two in a slot", []int64{17, 17}, 17},
		{"the only one in a bucket, with another behind it", []int64{3, 4}, 4},
		{"the only one in a slot, with another ring behind it", []int64{17, 1000}, 1000},
		{"one clamped to the current tick", []int64{-5, 2}, 2},
		{"one far away, with a near one before it", []int64{1 << 40, 2}, 2},
	} {
		t.Run(row.says, func(t *testing.T) {
			d := newDriver(8)
			out := d.arm(row.armed...)[0]
			d.remove(out)
			d.checkAll()
			assert.Equal(t, home(unfiled), out.home)
			assert.Equal(t, len(row.armed)-1, d.count)
			assert.Equal(t, row.next, d.next())
			assert.Zero(t, d.take(maxDeadline - 1)[out], "the tick it is taken at")
		})
	}
}

func TestATimeoutThatWasRemovedCanBePlacedAgain(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
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

// Moved later by its word alone, a timeout is still filed under the old tick: in
// a ring, it must not come up then, nor be filed closer to the old one.
func TestRefileGoesByTheNewDeadline(t *testing.T) {
	eachSize(t, func(t *testing.T, empty *driver) {
		n := empty.turn()
		old := 1 + 70*n
		for _, deadline := range []int64{old + 1, old + n, old + 64*n, old + 5000*n, 1 << 55} {
			d := newDriver(int(empty.turn()))
			to := d.arm(old)[0]
			setWord(to, deadline, 0, Pending)
			require.Equal(t, map[*Timeout]int64{to: deadline}, d.take(1<<55), "moved to %d", deadline)
		}
	})
}

// In a bucket it comes up at the old tick, and the worker files it again.
func TestATimeoutMovedLaterInABucketIsFoundAtItsOldTick(t *testing.T) {
	d := newDriver(8)
	to := d.arm(5)[0]
	setWord(to, 100, 0, Pending)
	assert.Equal(t, map[*Timeout]int64{to: 5}, d.take(50))
}

func TestRefileLetsGoOfWhatIsNoLongerPending(t *testing.T) {
	for _, s := range []State{Cancelled, Rejected} {
		eachSize(t, func(t *testing.T, d *driver) {
			n := d.turn()
			all := d.arm(1+70*n, 1+70*n)
			setWord(all[0], 1+70*n, queued, s)
			require.Equal(t, map[*Timeout]int64{all[1]: 1 + 70*n}, d.take(1+70*n))
			assert.Equal(t, home(unfiled), all[0].home)
			assert.Nil(t, all[0].prev)
			assert.Zero(t, d.count)
		})
	}
}

// Moved earlier, it is in the queue as well: the next drain files it.
func TestRefileLetsGoOfATimeoutMovedEarlier(t *testing.T) {
	d := newDriver(8)
	to := d.arm(100)[0]
	setWord(to, 2, queued, Pending)
	assert.Empty(t, d.take(100))
	assert.Equal(t, home(unfiled), to.home)
}

func TestRewindFilesEverythingAgain(t *testing.T) {
	eachSize(t, func(t *testing.T, empty *driver) {
		n := empty.turn()
		for _, back := range []int64{1, n - 1, n, n + 1, 64 * n, 1 << 30, 1 << 58} {
			d := newDriver(int(empty.turn())).from(1 << 20)
			ticks := []int64{1 << 20, 1<<20 + n, 1<<20 + 70*n, 1 << 50, maxDeadline - 1}
			all := d.arm(ticks...)
			d.rewind(1<<20 - back)
			require.Equal(t, len(ticks), d.count)
			d.checkAll()
			want := map[*Timeout]int64{}
			for i, to := range all {
				want[to] = ticks[i]
			}
			require.Equal(t, want, d.take(maxDeadline-1), "back by %d", back)
		}
	})
}

func TestRewindUndoesWhatTheCurrentTickDidToDeadlines(t *testing.T) {
	d := newDriver(8).from(1000)
	to := d.arm(5)[0]
	require.Equal(t, int64(1000), to.home.tick())
	d.rewind(3)
	assert.Equal(t, map[*Timeout]int64{to: 5}, d.take(1000))
}

func TestRewindGoesByTheNewDeadline(t *testing.T) {
	d := newDriver(8).from(1000)
	to := d.arm(1001)[0]
	setWord(to, 1003, 0, Pending)
	d.rewind(3)
	assert.Equal(t, int64(1003), to.home.tick())
}

// What a slot's list was moved out of is not what rewind looks at.
func TestRewindOfASlotThatIsHalfFiled(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		d.from(1 << 20)
		n := d.turn()
		tick := int64(1<<20) + 70*n
		want := map[*Timeout]int64{}
		for range 2*crowd + 1 {
			want[d.arm(tick)[0]] = tick
		}
		d.openCrowd(t)
		d.rewind(1 << 19)
		require.Equal(t, len(want), d.count)
		d.checkAll()
		require.Equal(t, want, d.take(maxDeadline-1))
	})
}

// They were opened once, but in a time that is to come again.
func TestRewindHasCrowdsOpenedAnew(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	d.armCrowd(2*crowd, 400, 1)
	d.take(d.wake())
	for d.thin() {
	}
	require.Equal(t, int64(400), d.wake())
	d.rewind(1)
	assert.Less(t, d.wake(), int64(400))
}

func TestPopAnyHandsOverEverything(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		n := d.turn()
		all := d.arm(5, 5, 6, 6+n, 6+n, 6+70*n, 1<<40, maxDeadline, 0)
		var got []*Timeout
		for to := d.popAny(); to != nil; to = d.popAny() {
			require.Equal(t, home(unfiled), to.home)
			d.checkAll()
			got = append(got, to)
		}
		assert.Equal(t, numbers(all, all), numbers(all, got))
		assert.Zero(t, d.count)
		assert.Equal(t, int64(noTick), d.next())
	})
}

func TestPopOfABucketThatIsBehindTheClockReturnsNothing(t *testing.T) {
	d := newDriver(8)
	d.arm(1)
	assert.Nil(t, d.pop(0))
	assert.NotNil(t, d.pop(1))
	assert.Nil(t, d.pop(1))
}
