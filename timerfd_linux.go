package hashedwheel

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// timerFD makes the runtime fire its timers on time. The runtime waits for them in epoll_wait, which counts in whole
// milliseconds (golang/go#44343), and Linux adds up to a thousandth of the wait: a time.Timer is half a millisecond
// late, or up to 20 ms after 20 s in which the process does nothing else. A timerfd in the runtime's poller that nobody
// reads ends that wait: the runtime then looks at its timers, and finds the one that is due. No goroutine is involved.
//
// It only ends the wait: the time.Timer starts the worker. Without a descriptor, timers are as late as the time
// package's.
type timerFD struct {
	isOpened bool
	file     *os.File // nil: no descriptor was to be had, or it is closed; the collector closes it with the Timer
	fd       uintptr  // of file, whose method Fd would make it blocking
}

// set has the wait end after d, in place of the last set. The first call makes the descriptor, so a Timer that is never
// used has none.
func (t *timerFD) set(d time.Duration) {
	if !t.isOpened {
		t.isOpened = true
		t.open()
	}
	if t.file == nil {
		return
	}
	spec := struct{ interval, value syscall.Timespec }{value: syscall.NsecToTimespec(int64(max(1, d)))}
	_, _, _ = syscall.RawSyscall6(syscall.SYS_TIMERFD_SETTIME, t.fd, 0, uintptr(unsafe.Pointer(&spec)), 0, 0, 0)
}

func (t *timerFD) open() {
	const clockMonotonic = 1
	fd, _, errno := syscall.RawSyscall(
		syscall.SYS_TIMERFD_CREATE, clockMonotonic, syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if errno == 0 {
		t.file, t.fd = os.NewFile(fd, "timerfd"), fd // which registers it with the poller
	}
}

// close closes the descriptor. No set may follow.
func (t *timerFD) close() {
	_ = t.file.Close()
	t.file = nil
}
