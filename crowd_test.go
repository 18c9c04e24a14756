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

func TestCrowdInASlotIsThinnedWhileTheWheelIsInTheSlotBefore(t *testing.T) {
	d := newDriverOf(time.Millisecond, 512)
	d.armCrowd(10*crowd, 1024, 256) // in slot 4 of level 1
	l := d.levels[1]
	at := l.crowdAt(d.current)
	require.Equal(t, tick(1024-256), at, "a slot ahead: before that its timeouts do not fit into the level below")
	require.Equal(t, at, d.nextWork())
	d.take(at - 1)
	require.Equal(t, at, d.current)
	for n := 10 * crowd; d.thin(); {
		n -= portion
		require.Equal(t, n, l.slots.len(4))
	}
	assert.Less(t, l.slots.len(4), crowd)
	assert.Greater(t, d.nextWork(), at)
}
