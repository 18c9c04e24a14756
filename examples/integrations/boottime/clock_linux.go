// Package boottime provides a clock that keeps running while the machine is suspended.
package boottime

import (
	"os"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Clock is a hashedwheel.Clock over Linux's CLOCK_BOOTTIME, for laptops and phones. The time package's clock stands
// still while the machine is suspended (golang/go#35012). On a Clock, timeouts that become due during a suspend run
// when the machine resumes. Any number of Timers may share a Clock. It has one file descriptor, and one goroutine while
// an alarm is set, however many channels of After are abandoned. Now is a system call.
type Clock struct {
	boot time.Time            // when the machine was booted, by the wall clock
	read func() time.Duration // returns the time since the boot
	file *os.File             // a timerfd
	conn syscall.RawConn      // of file

	mu   sync.Mutex
	ring chan time.Time // closed when the alarm goes off; nil if none is set; guarded by mu
	at   time.Duration  // when the alarm goes off, since the boot; guarded by mu
}

// New returns a Clock set to the wall clock. Setting the wall clock later does not change the Clock.
func New() (*Clock, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_BOOTTIME, unix.TFD_NONBLOCK|unix.TFD_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("timerfd_create", err)
	}
	c := &Clock{boot: time.Now().Round(0).Add(-sinceBoot()), read: sinceBoot, file: os.NewFile(uintptr(fd), "timerfd")}
	c.conn, err = c.file.SyscallConn()
	return c, err
}

func sinceBoot() time.Duration {
	var t unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_BOOTTIME, &t) // does not fail: Linux has had this clock since 2.6.39
	return time.Duration(t.Nano())
}

// Now returns the time, without a monotonic reading. It never goes back.
func (c *Clock) Now() time.Time { return c.boot.Add(c.read()) }

// After returns a channel that is closed d from now or sooner. The earliest alarm wakes all waiting Timers, and a Timer
// that is woken too soon waits again. On a closed Clock the channel is nil.
func (c *Clock) After(d time.Duration) <-chan time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	at := c.read() + max(d, 0)
	if c.ring != nil && c.at <= at {
		return c.ring
	}
	alarm := unix.ItimerSpec{Value: unix.NsecToTimespec(int64(at))} // the kernel checks it after a suspend
	var err error
	gone := c.conn.Control(func(fd uintptr) { err = unix.TimerfdSettime(int(fd), unix.TFD_TIMER_ABSTIME, &alarm, nil) })
	if gone != nil || err != nil {
		return nil
	}
	if c.at = at; c.ring == nil {
		c.ring = make(chan time.Time)
		go c.wait(c.ring)
	}
	return c.ring
}

// wait closes ring when the alarm goes off, or the Clock is closed.
func (c *Clock) wait(ring chan time.Time) {
	_, _ = c.file.Read(make([]byte, 8))
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ring = nil
	close(ring)
}

// Close closes the file and ends the goroutine. Stop the Timers first: on a closed Clock no timeout expires.
func (c *Clock) Close() error { return c.file.Close() }
