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

// A call that has read the idle time, and arms after it was changed, does not undo the change.
func TestArmingAfterAChangeIsCorrected(t *testing.T) {
	const before, after = time.Hour, 2 * time.Hour
	tests := map[string]struct {
		change func(*limit)
		want   hashedwheel.State
	}{
		"longer": {func(l *limit) { l.set(after) }, hashedwheel.Pending},
		"none":   {func(l *limit) { l.set(0) }, hashedwheel.Canceled},
		"ended":  {func(l *limit) { l.end() }, hashedwheel.Canceled},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			l := newLimit(t, before)
			stale := l.setting.Load()
			tt.change(l)
			l.prolong(stale)
			require.Equal(t, tt.want, l.timeout.State())
			if tt.want == hashedwheel.Pending {
				require.Greater(t, time.Until(l.timeout.Deadline()), before+before/2)
			}
		})
	}
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
	require.Nil(t, l.spare)
	require.False(t, spare.Stop(), "it has been stopped")
}

// A read that has read the shorter idle time moves the timeout after the longer one was set, and the
// timeout expires before the read can correct that.
func TestNeverEarlyRunAfterAReadMovedTheTimeoutByAnOldSetting(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Now())
	l := newLimit(t, time.Minute, hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	l.set(time.Hour)
	require.True(t, l.timeout.Move(time.Minute))
	clock.Advance(2 * time.Minute)
	require.Zero(t, l.owner.(*nobody).told)
	require.Equal(t, hashedwheel.Pending, l.timeout.State())
	clock.Advance(time.Hour - 3*time.Minute)
	require.Zero(t, l.owner.(*nobody).told)
	clock.Advance(2 * time.Minute)
	require.Equal(t, 1, l.owner.(*nobody).told)
}
