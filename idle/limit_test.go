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

// All methods of a Conn are called at once: the func of WithOnIdle is called at most once, and nothing is left pending.
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
		conn, err := idle.NewConn(tm, here, time.Millisecond, idle.WithOnIdle(func(net.Conn) { told.Add(1) }))
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
