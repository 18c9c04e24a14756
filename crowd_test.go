package hashedwheel

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// armCrowd arms n timeouts, spread evenly over a number of ticks from first on.
func (d *driver) armCrowd(n int, first, ticks tick) (all []*Timeout) {
	for i := range tick(n) {
		all = append(all, d.arm(d.ticks.start(first+i%ticks))...)
	}
	return all
}

// thinningTicks returns how many ticks of a millisecond are allowed for thinning a bucket of n: 500 ns for each.
func thinningTicks(n int) tick { return tick(n) * 500 / 1e6 }

func TestCrowdInASlotIsOpenedAtCrowdAt(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	d.armCrowd(10*crowd, 1024, 256) // in slot 4 of level 1
	l := d.levels[1]
	number, at := l.crowdAt(d.current, d.ticks.len)
	require.Equal(t, int64(4), number)
	require.Equal(t, tick(1024-256), at, "a slot ahead: before that its timeouts do not fit into the level below")
	require.Equal(t, at, d.nextWork())
	d.take(at - 1)
	require.False(t, d.thin(), "too early")
	d.take(at)
	require.True(t, d.thin(), "it is opened")
	require.Equal(t, int64(4), l.opened.number)
	require.True(t, d.thin())
	assert.Equal(t, 10*crowd-portion, l.slots.len(4))
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

// A crowd may form in a bucket before the crowd that was opened last.
func TestCrowdBeforeAnOpenedCrowdIsThinned(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	d.armCrowd(10*crowd, 400, 1)
	d.take(min(d.nextWork(), 385))
	for d.thin() {
	}
	for _, to := range d.armCrowd(2*crowd, 396, 1) {
		setWord(to, 90_000*d.ticks.len, 0, Pending)
	}
	for wake := d.nextWork(); wake < 396; wake = d.nextWork() {
		d.take(wake)
		for d.thin() {
		}
	}
	assert.Zero(t, d.levels[0].slots.len(396))
}
