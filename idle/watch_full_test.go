package idle_test

import (
	"net"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/stretchr/testify/require"
)

// A robbed watch was due, and must wait longer because there was data, but its timer is full: another
// timeout took its place before its task had run.
type robbed struct {
	tm     *hashedwheel.Timer
	watch  *idle.Watcher
	called chan time.Time
	robber *hashedwheel.Timeout
	last   time.Time // the data
}

func newRobbed(t *testing.T) robbed {
	r := robbed{called: make(chan time.Time, 1)}
	robber, asked := make(chan *hashedwheel.Timeout, 1), make(chan time.Time, 1)
	var once sync.Once
	r.tm = newTimer(t, hashedwheel.WithMaxPending(1), hashedwheel.WithExecutor(hashedwheel.ExecutorFunc(func(f func()) {
		once.Do(func() {
			robber <- r.tm.AfterFunc(time.Hour, func() {})
			f()
			asked <- time.Now()
			f = func() {}
		})
		f()
	})))
	here, there := tcp(t)
	discard(here)
	made := time.Now()
	w, err := idle.Watch(r.tm, here, short, func(net.Conn) { r.called <- time.Now() })
	require.NoError(t, err)
	time.Sleep(short / 4)
	r.watch, r.last = w, time.Now()
	_, err = there.Write([]byte("!"))
	require.NoError(t, err)
	if time.Since(made) >= short || within(t, asked).Sub(r.last) >= short {
		t.Skip("the machine stood still: the data came too late, or the kernel was asked when the connection was idle")
	}
	r.robber = within(t, robber)
	require.Equal(t, hashedwheel.Pending, r.robber.State())
	return r
}

func TestFullTimerLosesNoWatch(t *testing.T) {
	watchable(t)
	t.Parallel()
	r := newRobbed(t)
	time.Sleep(short)
	require.Empty(t, r.called, "no room for it")
	require.True(t, r.robber.Stop())
	freed := time.Now()
	called := within(t, r.called)
	require.GreaterOrEqual(t, called.Sub(r.last), short)
	require.Less(t, called.Sub(freed), short, "the kernel counted while the timer was full")
	require.False(t, r.watch.Stop())
}

func TestWatchThatWaitsForRoomCanBeStopped(t *testing.T) {
	watchable(t)
	t.Parallel()
	r := newRobbed(t)
	require.True(t, r.watch.Stop())
	require.Len(t, r.tm.Stop(), 1, "the robber alone")
	time.Sleep(short)
	require.Empty(t, r.called)
}
