package idle

import (
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

type nobody struct{ told int }

func (n *nobody) idle() { n.told++ }

func newLimit(t *testing.T, d time.Duration, opts ...hashedwheel.Option) *limit {
	tm := hashedwheel.MustNew(opts...)
	t.Cleanup(func() { tm.Stop() })
	l := &limit{owner: new(nobody)}
	require.NoError(t, l.start(tm, d))
	return l
}

func TestEndStopsTheStandInOfAFullTimer(t *testing.T) {
	l := newLimit(t, 0, hashedwheel.WithMaxPending(1))
	l.timeout.Timer().AfterFunc(time.Hour, func() {})
	l.set(time.Hour)
	spare := l.spare
	require.NotNil(t, spare)
	l.set(2 * time.Hour)
	require.Same(t, spare, l.spare, "one is enough")
	require.True(t, l.end())
	require.False(t, spare.Stop(), "it has been stopped")
}
