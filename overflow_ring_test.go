package hashedwheel

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A crowd is thinned ahead of its tick: these tests do it as the worker does,
// portion by portion.

// armCrowd arms n timeouts, evenly over ticks from first on.
func (d *driver) armCrowd(n int, first, ticks int64) (all []*Timeout) {
	for i := range int64(n) {
		all = append(all, d.arm((first+i%ticks)*d.tick)...)
	}
	return all
}

// openCrowd moves on to where a crowd has to be opened, and files one portion.
func (d *driver) openCrowd(t *testing.T) {
	t.Helper()
	d.take(d.wake())
	require.True(t, d.thin())
}

// thinAll thins until there is no crowd left to be opened, and returns how many
// portions that took. It fails if what was taken out of a slot comes back to it.
func (d *driver) thinAll(t *testing.T) (portions int) {
	t.Helper()
	for d.thin() {
		portions++
		require.Less(t, portions, 2+8*(d.count/portion+1), "thin does not end")
		d.checkAll()
		for k, l := range d.levels {
			if l.shift > 0 && l.latest != noSlot && l.slot(l.latest).n > 0 {
				require.Same(t, l.inHand, l.slot(l.latest).first(), "one of level %d was filed in its own slot again", k)
			}
		}
	}
	return portions
}

// Each tick that is reached is taken and followed by thinning, a whole slot ahead
// since ticks are short. On the way no timeout goes anywhere but down.
func TestACrowdOpenedEarlyGoesDownALevelAtATouch(t *testing.T) {
	const n = crowd + 100
	for _, size := range []int{1, 2, 8, 64, 512} {
		for _, current := range []int64{-1 << 40, 1, 12345} {
			for _, distance := range []int64{40, 700, 70_000, 9_999_999} {
				t.Run(fmt.Sprintf("size=%d/from=%d/by=%d", size, current, distance), func(t *testing.T) {
					d := newDriver(size).from(current)
					due := current + distance
					all := d.armCrowd(n, due, 1)
					level := all[0].home.level()
					opened := 0
					for wake := d.wake(); wake < due; wake = d.wake() {
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

func TestACrowdInASlotIsOpenedAtCrowdAt(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	d.armCrowd(10*crowd, 1024, 256) // slot 4 of level 1; 20.48 ms' work
	l := d.levels[1]
	number, at := l.crowdAt(d.current, d.tick)
	require.Equal(t, int64(4), number)
	require.Equal(t, int64(1024-20-1), at)
	require.Equal(t, at, d.wake())
	d.take(at - 1)
	require.False(t, d.thin(), "before its time")
	d.take(at)
	require.True(t, d.thin())
	require.Equal(t, int64(4), l.latest)
	assert.Equal(t, 10*crowd-portion, l.slots[4].n)
}

func TestASlotIsACrowdFromFourThousandOn(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	all := d.armCrowd(crowd-1, 1024, 256)
	_, at := d.levels[1].crowdAt(d.current, d.tick)
	require.Equal(t, int64(noTick), at)
	all = append(all, d.arm(1030*d.tick)...)
	_, at = d.levels[1].crowdAt(d.current, d.tick)
	require.Less(t, at, int64(1024))
	d.remove(all[0])
	_, at = d.levels[1].crowdAt(d.current, d.tick)
	assert.Equal(t, int64(noTick), at)
}

func TestCrowdAtLeavesTimeForTheCrowdsBehind(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	d.armCrowd(2*crowd, 400, 1) // 4.1 ms
	_, at := d.levels[0].crowdAt(d.current, d.tick)
	require.Equal(t, int64(400-4-1), at)
	d.armCrowd(20*crowd, 402, 1) // 41 ms: to be through with both by 402, the first has to be begun
	number, at := d.levels[0].crowdAt(d.current, d.tick)
	assert.Equal(t, int64(400), number)
	assert.Equal(t, int64(402-45-1), at)
}

// Nothing that is due in between waits for a crowd.
func TestOtherTicksAreTakenOnTimeBetweenThePortionsOfACrowd(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	all := d.armCrowd(10*crowd, 1024, 256)
	_, at := d.levels[1].crowdAt(d.current, d.tick)
	d.take(at)
	for tick, more := at+1, true; more; tick++ {
		other := d.arm(tick * d.tick)[0]
		if more = d.thin(); !more {
			break
		}
		got := d.take(tick)
		require.Equal(t, tick, got[other])
		for to := range got {
			require.Equal(t, tick, d.tickOf(to.load().deadline()))
			delete(got, to)
		}
	}
	d.take(1024 + 256)
	assert.Zero(t, d.count)
	for _, to := range all {
		require.Equal(t, home(unfiled), to.home)
	}
}

func TestACrowdThatIsAllDueIsLookedAtNoLongerThanPatienceLasts(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	all := d.armCrowd(2*crowd, 400, 1)
	d.take(d.wake())
	assert.Equal(t, patience/portion, d.thinAll(t))
	require.Equal(t, 2*crowd, d.levels[0].slots[400].n)
	assert.Equal(t, int64(400), d.wake(), "there is no crowd left to wake up for")
	assert.False(t, d.thin())
	assert.Len(t, d.take(400), len(all))
}

func TestACrowdOfWhichSomeAreMovedIsLookedAtToItsEnd(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	all := d.armCrowd(4*crowd, 400, 1)
	for i := 0; i < len(all); i += patience / 2 {
		setWord(all[i], 90_000*d.tick, alone, Pending)
	}
	d.take(d.wake())
	assert.InDelta(t, 4*crowd/portion, d.thinAll(t), 1)
	assert.Equal(t, 4*crowd-4*crowd/(patience/2), d.levels[0].slots[400].n)
}

func TestACrowdMovedLaterInABucketIsThinnedBeforeItsTick(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	all := d.armCrowd(3*crowd, 400, 1)
	due := all[7]
	for _, to := range all {
		if to != due {
			setWord(to, 90_000*d.tick, alone, Pending)
		}
	}
	d.take(d.wake())
	require.Less(t, d.current, int64(400))
	d.thinAll(t)
	assert.Equal(t, 1, d.levels[0].slots[400].n)
	assert.Equal(t, map[*Timeout]int64{due: 400}, d.take(400))
	assert.Len(t, d.take(90_000), len(all)-1)
}

func TestWhatIsInAnOpenedSlotCanBeRemovedAndPopped(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		all := d.armCrowd(3*crowd, 100*d.turn(), 1)
		d.openCrowd(t)
		for _, to := range all[crowd:] { // the one in hand among them, which moves on
			d.remove(to)
			d.requireInHand(t)
		}
		d.checkAll()
		popped := 0
		for d.popAny() != nil {
			d.requireInHand(t)
			popped++
		}
		d.checkAll()
		assert.Equal(t, crowd, popped)
	})
}

// requireInHand checks that no level has a timeout in hand that has gone.
func (d *driver) requireInHand(t *testing.T) {
	t.Helper()
	for k, l := range d.levels {
		if l.inHand != nil {
			require.Equal(t, k, l.inHand.home.level())
			require.Equal(t, l.latest, l.inHand.home.tick()>>l.shift)
		}
	}
}

// The wheel comes to the start of a slot that is half filed.
func TestTheRestOfAnOpenedSlotIsFiledWhenItIsReached(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		due := 100 * d.turn()
		d.armCrowd(2*crowd, due, 1)
		d.openCrowd(t)
		d.arm(due, due)
		assert.Len(t, d.take(due), 2*crowd+2)
		assert.Zero(t, d.count)
	})
}
