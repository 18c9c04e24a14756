package idle

import (
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

type nobody struct{}

func (nobody) idle() {}

func newLimit(t *testing.T, d time.Duration, opts ...hashedwheel.Option) *limit {
	tm := hashedwheel.MustNew(opts...)
	t.Cleanup(func() { tm.Stop() })
	l := &limit{owner: nobody{}}
	require.NoError(t, l.start(tm, d))
	return l
}

// Whoever has read the idle time and comes late, after it was changed, undoes nothing.
func TestAnArmingThatComesAfterAChangeIsPutRight(t *testing.T) {
	const before, after = time.Hour, 2 * time.Hour
	tests := map[string]struct {
		change func(*limit)
		want   hashedwheel.State
	}{
		"longer": {func(l *limit) { l.set(after) }, hashedwheel.Pending},
		"none":   {func(l *limit) { l.set(0) }, hashedwheel.Cancelled},
		"ended":  {func(l *limit) { l.end() }, hashedwheel.Cancelled},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLimit(t, before)
			tt.change(l)
			l.arm(before, before)
			require.Equal(t, tt.want, l.timeout.State())
			if tt.want == hashedwheel.Pending {
				require.Greater(t, time.Until(l.timeout.Deadline()), before+before/2)
			}
		})
	}
}

func TestTheStandInOfAFullTimerEndsToo(t *testing.T) {
	l := newLimit(t, 0, hashedwheel.WithMaxPending(1))
	l.timeout.Timer().AfterFunc(time.Hour, func() {})
	l.set(time.Hour)
	spare := l.spare
	require.NotNil(t, spare)
	l.set(2 * time.Hour)
	require.Same(t, spare, l.spare, "one is enough")
	require.True(t, l.end())
	require.Nil(t, l.spare)
	require.False(t, spare.Stop(), "it has been stopped")
}
