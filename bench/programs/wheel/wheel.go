// Package wheel has what the ports of the programs share.
package wheel

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// TickVariable is the environment variable that holds Tick: a port makes its wheel before flags are parsed.
const TickVariable = "PROGRAMS_TICK"

// Tick is the tick of the wheel, or 0 for package time's timers.
var Tick, _ = time.ParseDuration(os.Getenv(TickVariable)) // New refuses a tick of 0

var made atomic.Pointer[hashedwheel.Timer]

// New returns the wheel of the process.
func New(opts ...hashedwheel.Option) *hashedwheel.Timer {
	tm := hashedwheel.MustNew(append(opts, hashedwheel.WithTick(Tick))...)
	if !made.CompareAndSwap(nil, tm) {
		panic("the process has two wheels, and Used reads one")
	}
	return tm
}

// Used reports whether the wheel has held a timeout.
func Used() bool {
	tm := made.Load()
	if tm == nil {
		return false
	}
	s := tm.Stats()
	return s.Wakeups > 0 || s.Pending > 0
}

// A Waiter is a timer of a goroutine that waits: a Timeout with a channel.
type Waiter struct {
	C       chan struct{} // receives when the time is up
	timeout hashedwheel.Timeout
}

var inline = sync.OnceValue(func() *hashedwheel.Timer { return New(hashedwheel.WithExecutor(hashedwheel.Inline{})) })

var waiters = sync.Pool{New: func() any {
	w := &Waiter{C: make(chan struct{}, 1)}
	w.timeout.Init(inline(), w)
	return w
}}

// Wait returns a Waiter from a pool.
func Wait(d time.Duration) *Waiter {
	w := waiters.Get().(*Waiter)
	w.timeout.Reset(d)
	return w
}

// Run is called by the wheel.
func (w *Waiter) Run(*hashedwheel.Timeout) { w.C <- struct{}{} }

// Reset sets another time. The caller reports whether it has received from C since the last one was set.
func (w *Waiter) Reset(d time.Duration, received bool) {
	if !w.timeout.Reset(d) && !received {
		<-w.C // of the time before
	}
}

// Free puts the Waiter back into the pool. The caller reports whether it has received from C.
func (w *Waiter) Free(received bool) {
	if !received && !w.timeout.Stop() {
		<-w.C
	}
	waiters.Put(w)
}
