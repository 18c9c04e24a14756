package boottime

import (
	"fmt"
	"os"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newTimer returns a Timer on a Clock, and a function that simulates a suspend: it sets the Clock forward, and makes
// the kernel's alarm go off.
func newTimer(t *testing.T) (tm *hashedwheel.Timer, c *Clock, suspend func(time.Duration)) {
	c, err := New()
	require.NoError(t, err)
	var slept atomic.Int64
	c.read = func() time.Duration { return sinceBoot() + time.Duration(slept.Load()) }
	tm = hashedwheel.MustNew(hashedwheel.WithClock(c), hashedwheel.WithTick(time.Millisecond))
	t.Cleanup(func() {
		tm.StopAll()
		require.NoError(t, c.Close())
	})
	return tm, c, func(d time.Duration) {
		slept.Add(int64(d))
		passed := unix.ItimerSpec{Value: unix.Timespec{Nsec: 1}}
		require.NoError(t, c.conn.Control(func(fd uintptr) {
			require.NoError(t, unix.TimerfdSettime(int(fd), unix.TFD_TIMER_ABSTIME, &passed, nil))
		}))
	}
}

func TestTimeoutDueDuringASuspendRunsWhenTheMachineResumes(t *testing.T) {
	tm, c, suspend := newTimer(t)
	ran := make(chan time.Time, 1)
	due := c.Now().Add(time.Hour)
	tm.AfterFunc(time.Hour, func() { ran <- c.Now() })
	for range 3 {
		require.Empty(t, ran, "early")
		time.Sleep(20 * time.Millisecond) // the worker waits again
		suspend(25 * time.Minute)
	}
	require.WithinRange(t, <-ran, due, due.Add(16*time.Minute))
	require.Less(t, tm.Stats().Wakeups, uint64(20), "spinning")
}

// One Timer has set the alarm to an hour from now when the other Timer needs an earlier alarm.
func TestTimersShareAClock(t *testing.T) {
	far, c, _ := newTimer(t)
	far.AfterFunc(time.Hour, func() {})
	require.Eventually(t, func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		return c.ring != nil && (c.at-c.read()-time.Hour).Abs() < time.Minute
	}, 20*time.Second, time.Millisecond)
	near := hashedwheel.MustNew(hashedwheel.WithClock(c), hashedwheel.WithTick(time.Millisecond))
	defer near.StopAll()
	<-near.After(time.Millisecond)
}

func TestAbandonedChannelsCostNothing(t *testing.T) {
	_, c, _ := newTimer(t)
	c.After(time.Hour)
	inUse := func() int {
		files, _ := os.ReadDir("/proc/self/fd")
		return len(files) + runtime.NumGoroutine()
	}
	before := inUse()
	require.Zero(t, testing.AllocsPerRun(1000, func() { c.After(time.Hour) }))
	require.LessOrEqual(t, inUse(), before)
}

func TestAlarmIsOnTheClockThatRunsDuringASuspend(t *testing.T) {
	_, c, _ := newTimer(t)
	require.NoError(t, c.conn.Control(func(fd uintptr) {
		info, err := os.ReadFile(fmt.Sprint("/proc/self/fdinfo/", fd))
		require.NoError(t, err)
		require.Contains(t, string(info), fmt.Sprintf("clockid: %d\n", unix.CLOCK_BOOTTIME))
	}))
}
