package idle_test

import (
	"io"
	"math/rand/v2"
	"net"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/idle"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/stretchr/testify/require"
)

// The idle time is over, but the executor is late; data that is read before it runs counts.
func TestDataReadBeforeALateExecutorKeepsAConnOpen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		late := hashedwheel.ExecutorFunc(func(f func()) {
			go func() {
				time.Sleep(d / 2)
				f()
			}()
		})
		tm := newTimer(t, hashedwheel.WithExecutor(late))
		here, there := net.Pipe()
		conn, err := idle.NewConn(tm, here, d)
		require.NoError(t, err)
		s := scene{tm, conn, there}
		time.Sleep(d + d/4)
		s.isOpen(t)
		start := time.Now()
		_, err = io.Copy(io.Discard, there)
		require.NoError(t, err)
		require.InDelta(t, d+d/2, time.Since(start), float64(2*tick))
		require.Zero(t, tm.Pending())
	})
}

// The idle time is over, but the executor is late; the Conn is closed before it runs.
func TestConnClosedBeforeALateExecutorRunsWasNotIdle(t *testing.T) {
	clock, late := hashedwheel.NewManualClock(time.Now()), new(timertest.HeldBack)
	tm := newTimer(t, hashedwheel.WithClock(clock), hashedwheel.WithExecutor(late))
	here, _ := net.Pipe()
	conn, err := idle.NewConn(tm, here, d, idle.OnIdle(func(net.Conn) { t.Error("not idle") }))
	require.NoError(t, err)
	clock.Advance(d)
	require.NoError(t, conn.Close())
	require.Equal(t, 1, late.Release())
	_, err = conn.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.ErrClosedPipe)
}

// onFull runs f in a bubble with a Conn whose idle time, of 80 ticks, waits for room in its full timer: it
// is tried again after each 10 ticks.
func onFull(t *testing.T, f func(t *testing.T, s scene, other *hashedwheel.Timeout), opts ...idle.Option) {
	synctest.Test(t, func(t *testing.T) {
		tm := newTimer(t, hashedwheel.WithMaxPending(1))
		here, there := net.Pipe()
		conn, err := idle.NewConn(tm, here, 0, opts...)
		require.NoError(t, err)
		other := tm.AfterFunc(time.Hour, func() {})
		conn.SetIdleTimeout(80 * tick)
		f(t, scene{tm, conn, there}, other)
		require.Zero(t, tm.Pending())
	})
}

// An idle time that begins while the timer is full begins when there is room.
func TestFullTimerLosesNoIdleTime(t *testing.T) {
	onFull(t, func(t *testing.T, s scene, other *hashedwheel.Timeout) {
		time.Sleep(200 * tick)
		s.isOpen(t)
		require.True(t, other.Stop())
		freed := time.Now()
		_, err := io.Copy(io.Discard, s.peer)
		require.NoError(t, err)
		require.GreaterOrEqual(t, time.Since(freed), 80*tick)
		require.LessOrEqual(t, time.Since(freed), 92*tick)
	})
}

// The stand-in of a longer idle time that was set before does not delay a shorter one.
func TestFullTimerRetriesAShorterIdleTimeSooner(t *testing.T) {
	onFull(t, func(t *testing.T, s scene, other *hashedwheel.Timeout) {
		s.conn.SetIdleTimeout(0)
		s.conn.SetIdleTimeout(8000 * tick)
		s.conn.SetIdleTimeout(80 * tick)
		time.Sleep(200 * tick)
		require.True(t, other.Stop())
		freed := time.Now()
		_, err := io.Copy(io.Discard, s.peer)
		require.NoError(t, err)
		require.LessOrEqual(t, time.Since(freed), 12*tick)
	})
}

func TestRetriesOfAFullTimerDoNotMultiply(t *testing.T) {
	for range 300 {
		onFull(t, func(t *testing.T, s scene, other *hashedwheel.Timeout) {
			var setters sync.WaitGroup
			for g := range 4 {
				setters.Go(func() {
					for i := range 40 {
						s.conn.SetIdleTimeout(min(time.Duration((i+g)%3), 1) * 8 * tick)
						time.Sleep(tick)
					}
				})
			}
			setters.Wait()
			s.conn.SetIdleTimeout(80 * tick)
			before := s.tm.Stats().Rejected
			time.Sleep(100 * tick)
			require.InDelta(t, 10, s.tm.Stats().Rejected-before, 1)
			require.NoError(t, s.conn.Close())
			require.True(t, other.Stop())
		})
	}
}

func TestCloseEndsAnIdleTimeThatWaitsForRoom(t *testing.T) {
	onFull(t, func(t *testing.T, s scene, other *hashedwheel.Timeout) {
		require.NoError(t, s.conn.Close())
		require.True(t, other.Stop())
		time.Sleep(200 * tick)
	}, idle.OnIdle(func(net.Conn) { panic("it was closed") }))
}

// A read while an idle time waits for room begins the idle time if there is room by then.
func TestDataThatFindsRoomBeginsTheIdleTime(t *testing.T) {
	onFull(t, func(t *testing.T, s scene, other *hashedwheel.Timeout) {
		require.True(t, other.Stop())
		time.Sleep(5 * tick)
		s.isOpen(t)
		s.closedAfter(t, 80*tick)
	})
}

// All methods of a Conn are called at once: OnIdle is called at most once, and nothing is left pending.
func TestConcurrentUseOfAConn(t *testing.T) {
	t.Parallel()
	var tasks atomic.Int32 // that run
	counting := hashedwheel.ExecutorFunc(func(f func()) {
		tasks.Add(1)
		go func() {
			defer tasks.Add(-1)
			f()
		}()
	})
	tm := newTimer(t, hashedwheel.WithTick(time.Millisecond), hashedwheel.WithExecutor(counting))
	for range 100 {
		var told atomic.Int32
		here, there := net.Pipe()
		conn, err := idle.NewConn(tm, here, time.Millisecond, idle.OnIdle(func(net.Conn) { told.Add(1) }))
		require.NoError(t, err)
		var running sync.WaitGroup
		running.Go(func() { _, _ = io.Copy(there, there) })
		running.Go(func() { _, _ = io.Copy(io.Discard, conn) })
		running.Go(func() {
			for {
				if _, err := conn.Write([]byte("!")); err != nil {
					return
				}
				time.Sleep(rand.N(2 * time.Millisecond))
			}
		})
		for range 2 {
			running.Go(func() {
				for range 10 {
					conn.SetIdleTimeout(rand.N(3 * time.Millisecond))
					time.Sleep(rand.N(time.Millisecond))
				}
				_ = conn.Close()
				_ = there.Close()
			})
		}
		running.Wait()
		for tasks.Load() > 0 { // one that began before Close may arm, and then finds that it must not
			runtime.Gosched()
		}
		require.LessOrEqual(t, told.Load(), int32(1))
		require.Zero(t, tm.Pending())
	}
}
