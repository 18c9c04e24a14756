package hashedwheel_test

import (
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// timerFDs returns the numbers of the process's descriptors that are timerfds.
func timerFDs(t *testing.T) (all []string) {
	t.Helper()
	links, err := filepath.Glob("/proc/self/fd/*")
	require.NoError(t, err)
	for _, link := range links {
		if to, _ := os.Readlink(link); to == "anon_inode:[timerfd]" {
			all = append(all, filepath.Base(link))
		}
	}
	return all
}

func nothing() {}

func TestTimerFDExistsFromTheFirstRunUntilStopAll(t *testing.T) {
	if !timertest.InOwnProcess(t) {
		return
	}
	tm := hashedwheel.MustNew()
	hashedwheel.MustNew(hashedwheel.WithClock(hashedwheel.NewManualClock(time.Now()))).AfterFunc(time.Hour, nothing)
	synctest.Test(t, func(t *testing.T) {
		tm := hashedwheel.MustNew()
		tm.AfterFunc(time.Hour, nothing)
		assert.Empty(t, timerFDs(t))
		tm.StopAll()
	})
	assert.Empty(t, timerFDs(t))
	tm.AfterFunc(time.Hour, nothing)
	assert.Len(t, timerFDs(t), 1)
	tm.StopAll()
	tm.AfterFunc(time.Hour, nothing)
	assert.Empty(t, timerFDs(t))
}

func TestTimerFDIsSetAgainForAnEarlierRun(t *testing.T) {
	if !timertest.InOwnProcess(t) {
		return
	}
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	tm.AfterFunc(time.Hour, nothing)
	tm.AfterFunc(5*time.Millisecond, nothing)
	info, err := os.ReadFile("/proc/self/fdinfo/" + timerFDs(t)[0])
	require.NoError(t, err)
	left := regexp.MustCompile(`it_value: \(0, (\d+)\)`).FindSubmatch(info)
	require.NotNil(t, left, "%s", info)
	ns, err := strconv.Atoi(string(left[1]))
	require.NoError(t, err)
	assert.LessOrEqual(t, time.Duration(ns), 5*time.Millisecond)
}

func TestDroppedTimersLeaveNoTimerFD(t *testing.T) {
	if !timertest.InOwnProcess(t) {
		return
	}
	timers := make([]*hashedwheel.Timer, 1000)
	for i := range timers {
		timers[i] = hashedwheel.MustNew()
		timers[i].AfterFunc(time.Millisecond, nothing)
	}
	assert.Greater(t, len(timerFDs(t)), 500, "fewer only where the system allows fewer")
	runtime.KeepAlive(timers)
	areClosed := func() bool { runtime.GC(); return len(timerFDs(t)) == 0 }
	assert.Eventually(t, areClosed, 20*time.Second, 10*time.Millisecond)
}

func TestStopAllClosesTheTimerFDWhileOthersArm(t *testing.T) {
	if !timertest.InOwnProcess(t) {
		return
	}
	for round := range 100 {
		tm := hashedwheel.MustNew()
		var armed atomic.Int64
		var done sync.WaitGroup
		for range 8 {
			done.Go(func() {
				for d := time.Second; tm.AfterFunc(d, nothing).Err() == nil; d -= time.Microsecond {
					armed.Add(1)
				}
			})
		}
		for armed.Load() < int64(round) {
			runtime.Gosched()
		}
		tm.StopAll()
		done.Wait()
		require.Empty(t, timerFDs(t))
	}
}

func TestTimeoutsRunWhereNoDescriptorIsLeft(t *testing.T) {
	if !timertest.InOwnProcess(t) {
		return
	}
	var limit syscall.Rlimit
	require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit))
	none := limit
	none.Cur = 0
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &none))
	tm := hashedwheel.MustNew()
	for range 3 {
		<-tm.After(2 * time.Millisecond)
	}
	require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit))
	assert.Empty(t, timerFDs(t))
	tm.StopAll()
}
