package idle_test

import (
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

// A robbed timer has room for one timeout. When that expires another takes its place,
// before the task has run.
func robbed(t *testing.T) (tm *hashedwheel.Timer, robber chan *hashedwheel.Timeout) {
	robber = make(chan *hashedwheel.Timeout, 1)
	var once sync.Once
	tm = newTimer(t, hashedwheel.WithMaxPending(1), hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) {
		once.Do(func() { robber <- tm.AfterFunc(time.Hour, func() {}) })
		f()
	})))
	return tm, robber
}

// The timer is full when the watch has looked and wants to wait on.
func TestAFullTimerLosesNoWatch(t *testing.T) {
	watchable(t)
	t.Parallel()
	tm, robber := robbed(t)
	here, there := tcp(t)
	w, at := watched(t, tm, here, short)
	time.Sleep(short / 4)
	last := time.Now()
	_, err := there.Write([]byte("!"))
	require.NoError(t, err)
	other := within(t, robber)
	require.Equal(t, hashedwheel.Pending, other.State())
	time.Sleep(short)
	require.Empty(t, at, "no room for it")
	require.True(t, other.Stop())
	require.GreaterOrEqual(t, within(t, at).Sub(last), short)
	require.False(t, w.Stop())
}

func TestAWatchThatWaitsForRoomCanBeStopped(t *testing.T) {
	watchable(t)
	t.Parallel()
	tm, robber := robbed(t)
	here, there := tcp(t)
	w, at := watched(t, tm, here, short)
	time.Sleep(short / 4)
	_, err := there.Write([]byte("!"))
	require.NoError(t, err)
	within(t, robber)
	require.True(t, w.Stop())
	require.Len(t, tm.Stop(), 1, "the robber alone")
	time.Sleep(short)
	require.Empty(t, at)
}
