package idle_test

import (
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

// A robbed timer has room for one timeout. When it expires another takes its place, before the task
// has run. asked gets the time at which that task has returned.
func robbed(t *testing.T) (tm *hashedwheel.Timer, robber chan *hashedwheel.Timeout, asked chan time.Time) {
	robber, asked = make(chan *hashedwheel.Timeout, 1), make(chan time.Time, 1)
	var once sync.Once
	tm = newTimer(t, hashedwheel.WithMaxPending(1), hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) {
		once.Do(func() {
			robber <- tm.AfterFunc(time.Hour, func() {})
			f()
			asked <- time.Now()
			f = func() {}
		})
		f()
	})))
	return tm, robber, asked
}

// skipIfLate skips a test on a machine that stood still: the data came when the watch had ended, or the kernel was
// asked so late that the connection was idle.
func skipIfLate(t *testing.T, made, last, sent time.Time, asked chan time.Time) {
	t.Helper()
	if sent.Sub(made) >= short || within(t, asked).Sub(last) >= short {
		t.Skip("the machine stood still")
	}
}

// The timer is full when a watch has queried the kernel and must wait longer.
func TestFullTimerLosesNoWatch(t *testing.T) {
	watchable(t)
	t.Parallel()
	tm, robber, asked := robbed(t)
	here, there := tcp(t)
	discard(here)
	made := time.Now()
	w, at := watched(t, tm, here, short)
	time.Sleep(short / 4)
	last := time.Now()
	_, err := there.Write([]byte("!"))
	require.NoError(t, err)
	skipIfLate(t, made, last, time.Now(), asked)
	other := within(t, robber)
	require.Equal(t, hashedwheel.Pending, other.State())
	time.Sleep(short)
	require.Empty(t, at, "no room for it")
	require.True(t, other.Stop())
	freed := time.Now()
	called := within(t, at)
	require.GreaterOrEqual(t, called.Sub(last), short)
	require.Less(t, called.Sub(freed), short, "the kernel counted while the timer was full")
	require.False(t, w.Stop())
}

func TestWatchThatWaitsForRoomCanBeStopped(t *testing.T) {
	watchable(t)
	t.Parallel()
	tm, robber, asked := robbed(t)
	here, there := tcp(t)
	discard(here)
	made := time.Now()
	w, at := watched(t, tm, here, short)
	time.Sleep(short / 4)
	last := time.Now()
	_, err := there.Write([]byte("!"))
	require.NoError(t, err)
	skipIfLate(t, made, last, time.Now(), asked)
	within(t, robber)
	require.True(t, w.Stop())
	require.Len(t, tm.Stop(), 1, "the robber alone")
	time.Sleep(short)
	require.Empty(t, at)
}
