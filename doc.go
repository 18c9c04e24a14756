// Package hashedwheel is a timer for very many approximate timeouts: idle
// timeouts that move at every read, deadlines that are nearly all cancelled. It
// arms, moves and stops a timeout in tens of nanoseconds, or a few hundred when
// millions are pending (the time that memory takes), and runs its task at most one
// tick late.
//
//	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
//	to := tm.AfterFunc(30*time.Second, func() { ... })
//	to.Reset(time.Minute)
//	to.Stop()
//
// # When not to use it
//
// Stay with package time for timeouts that must be exact to less than a tick, and
// for a few hundred timers or fewer. The wheel is for processes with thousands of
// timeouts to which a few milliseconds do not matter. It is not durable: what is
// pending dies with the process.
//
// # The way of a timeout
//
//	  producers, any goroutine              the worker, one goroutine
//	┌──────────────────────────┐      ┌──────────────────────────────────────┐
//	│ AfterFunc Schedule Reset │ push │ drain    advance   hand out    park  │
//	│ Stop                     │ ───▶ │   │         ▲          │             │
//	│                          │ mpsc │   ▼         │          ▼             │
//	│ one CAS on the timeout's │ queue│ hashed wheel: buckets  batch of 64 ──┼─▶ Executor
//	│ word decides every race  │      │ and overflow rings                   │   runs the
//	└──────────────────────────┘      └──────────────────────────────────────┘   tasks
//
// What they contend for in a timeout is one word. A producer changes it with one
// CAS and, if the worker has to know, pushes the timeout onto a lock-free queue;
// moving a pending timeout later needs no push. At each tick the worker files what
// was pushed into the wheel, takes what is due out of it and hands it to the
// executor. The files read in that order: timer, mpsc_queue, worker, batch,
// hashed_wheel, bucket, executor, crew; timeout and word are what goes that way,
// clock says when.
//
// # Never early
//
// A task never starts before its deadline, read on the timer's clock. The
// deadline is the time of the call plus the delay, in nanoseconds, from a clock
// read at the call, and is rounded up to a tick, never down. That holds through
// clock jumps in both directions, stalls, Resets that race with expiry, and any
// delay: one too large for the clock, which counts about 18 years from New,
// means never, and can still be stopped.
//
// # At most one tick late
//
// The worker looks for what is due at each tick boundary, so a task is handed to
// the executor within one tick of its deadline, plus what the operating system or
// a busy executor adds. With [Inline] a slow task adds two ticks at most, ten
// thousand of them in one tick about nine: one that has not returned after a tick
// no longer holds the others up. A delay of zero or less is due at the next tick.
// The order within one tick is undefined.
//
// # One outcome for each arming
//
// A timeout that was armed expires, or is cancelled, or is rejected, and only
// one of these. Expired: its task was handed to the executor. Cancelled:
// [Timeout.Stop] returned true for it, or [Timer.Stop] returned it. Rejected:
// the timer was stopped or full. A Reset of a pending timeout moves the arming;
// any other Reset begins a new one.
//
// # Nothing is lost at Stop
//
// Every armed timeout that will not run is in the result of [Timer.Stop], even
// if it was armed while Stop ran; only the channels of [Timer.After] are closed
// instead. An arming that came too late for that is told so: Schedule returns
// [ErrStopped], a Timeout's State is Rejected.
//
// # User code runs without locks
//
// Tasks, panic handlers, executors and clocks are called with no internal lock
// held, and only [Timer.Shutdown] waits for tasks. Every method may be called
// from inside a task, Timer.Stop too. (Shutdown waits there for its own task: give
// it a context that ends.) Tasks run wherever the [Executor] puts them: by default
// in goroutines, where none waits for another. A panic in a task crashes the
// program, as under time.AfterFunc, unless there is a panic handler.
//
// # Quiet
//
// A Timer has no goroutine before the first arming, while nothing is pending,
// and after Stop. While only far timeouts are pending its one goroutine sleeps
// until the next is due, whatever the tick: there are no empty ticks. It ticks
// while armings, moves to earlier or stops of what is filed come in, and for one
// tick more.
//
// # Any delay costs the same
//
// A far timeout waits in an overflow ring and is touched once a ring, at most a
// handful of times on its way to a deadline, however small the wheel. One that was
// moved later meanwhile goes on from there. When the clock jumps, or the process was
// stopped, catching up costs what is pending, not the ticks that were missed.
//
// # Small and garbage-free
//
// A Timeout is 64 bytes on 64-bit machines. AfterFunc and Schedule allocate that
// and nothing else; Reset and Stop allocate nothing. Nor does anything else for a
// Timeout embedded in the caller's own struct, but for what an executor other than
// Inline takes to run its task. A cancelled timeout, and all that its task holds,
// is garbage within two ticks, unless an executor that blocks keeps the worker.
//
// # Bounded work
//
// A tick files at most the drain limit of armings (100,000 by default) before it
// hands out what is due, and goes on filing after that in the time that is left.
// So a flood of armings delays what is due by one drain limit's filing at most,
// some milliseconds, and does not pile up unfiled; those of the flood itself that
// were due within the tick run with the next. [WithMaxPending] bounds how many
// timeouts are pending at all.
//
// Armings and stops that come faster than the worker files them make their caller
// yield its processor now and then (runtime.Gosched): never a wait for a lock, but
// on busy processors a turn of others, for a caller that holds a lock of its own
// too.
//
// # Series and channels
//
// [Timer.Every] and [Timer.Recur] run a function again and again, on a grid or as
// a [Scheduler] says, never two runs at a time. [Timer.After] is a deadline for a
// select: a channel that all who wait for the same tick share. Each of these is a
// Timeout on the wheel like any other, but for this: a series stays pending from
// run to run and is never Expired, and After's channels are not refused by
// WithMaxPending, and are closed at once by Stop.
//
// # Not promised
//
// The order of timeouts that are due in the same tick. That State and Pending
// still hold once they have returned. Anything about time during which the
// machine was suspended: Linux's monotonic clock stops then.
package hashedwheel
