// Package hashedwheel is a timer for very many approximate timeouts: idle timeouts that move
// at every read, deadlines that are nearly all stopped in time. It arms, moves and stops a
// timeout in tens of nanoseconds (a few hundred with millions pending, because memory is
// slow), and runs its task at most one tick late.
//
//	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond))
//	t := tm.AfterFunc(30*time.Second, func() { ... })
//	t.Reset(time.Minute)
//	t.Stop()
//
// Three packages stand on it: idle closes connections that nobody talks on, keyed is a map
// whose values expire, and inspect is a page that shows what is pending.
//
// # When not to use it
//
// Stay with package time for timeouts that must be exact to less than a tick, and for a few
// hundred timers or fewer. Nothing here survives the process: what must happen even after a
// restart belongs in a store.
//
// # The way of a timeout
//
//	 any goroutine               the worker, one goroutine
//	┌──────────────┐       ┌────────────────────────────────────────────────┐
//	│ AfterFunc    │       │ ┌────────── lock held ────────┐  no lock held  │
//	│ Schedule     │ push  │ │ drain    ┌─────────────┐    │                │
//	│ Reset        │ ────▶ │ │ ───────▶ │ buckets and │ ───┼─▶ batch of 64: │
//	│ Stop         │ queue │ │ file     │ rings       │take│   claim each,  │
//	│              │       │ │          └─────────────┘    │   hand it out ─┼─▶ Executor
//	│ one CAS on   │       │ └─────────────────────────────┘                │   runs the
//	│ Timeout.word │       │ then park until the next tick that has any     │   tasks
//	└──────────────┘       └────────────────────────────────────────────────┘
//
// Moving a pending timeout later needs no push: the worker finds that out at the earlier tick.
// docs/how-it-works.md explains the rest, and has the order in which to read the source.
//
// # Never early
//
// A task never starts before its deadline, read on the timer's clock. The deadline is the
// time of the call plus the delay, in nanoseconds, from a clock read in the call, and is
// rounded up to a tick, never down. That holds through clock jumps in both directions,
// stalls, Resets that race with expiry, and any delay. A delay too large for the clock, which
// counts about 18 years from New, means never; such a timeout can still be stopped.
//
// # At most one tick late
//
// A task is handed to the executor within one tick of its deadline, plus what the operating
// system or the executor adds. A delay of zero or less is due at the next tick. The library's
// own work adds no more than a few milliseconds, even if a million timeouts are due soon after
// each other, or a million idle timeouts turn out to have been moved later. By default no task
// waits for another to return; with [Inline] a slow one delays all others.
//
// # One outcome for each arming
//
// A timeout that was armed expires, or is cancelled, or is rejected, and only one of these.
// Expired: its task was handed to the executor. Cancelled: [Timeout.Stop] returned true for
// it, or [Timer.Stop] returned it. Rejected: the timer was stopped or full, and [Timeout.Err]
// says which. A Reset of a pending timeout moves the arming; any other Reset begins a new one.
//
// # Nothing is lost at Stop
//
// Every armed timeout that will not run is in the result of [Timer.Stop], even if it was armed
// while Stop ran; only the channels of [Timer.After] are closed instead. An arming that came
// too late for that is told so: Schedule returns [ErrStopped], a Timeout's State is Rejected.
//
// # User code runs without locks
//
// Tasks, panic handlers, executors and clocks are called with no internal lock held, and only
// [Timer.Shutdown] waits for tasks. Every method may be called from inside a task, Timer.Stop
// too. (One that calls Shutdown waits for itself.) A panic in a task crashes the program, as
// under time.AfterFunc, unless there is a panic handler.
//
// # Quiet
//
// A Timer has no goroutine before the first arming, while nothing is pending, and after Stop.
// While only far timeouts are pending the worker sleeps until the next is due: there are no
// empty ticks. It ticks while armings, moves to earlier or stops of what is filed come in, and
// for one tick more. It inherits neither profiler labels nor modes from whoever armed first.
//
// # Any delay costs the same
//
// A far timeout waits in an overflow ring and is filed again once a ring, a handful of times on
// its way to its deadline, however small the wheel. When the clock jumps, or the process was
// stopped, catching up costs what is pending, not the ticks that were missed.
//
// # Small and garbage-free
//
// A Timeout is 64 bytes on 64-bit machines. AfterFunc and Schedule allocate that and nothing
// else; Reset and Stop allocate nothing. Nor does anything for one embedded in a caller's
// struct, but for what an executor other than Inline takes to run its task. A cancelled timeout,
// and all that its task holds, is garbage within two ticks, unless something blocks the worker.
//
// # Bounded work
//
// How much a tick files before it hands out what is due is bounded, see [WithDrainLimit]: a
// flood of armings delays that by some milliseconds at most. Whoever makes the flood helps: an
// arming or stop that finds much of its kind in the queue files a portion of it. If the lock is
// taken, or the worker waits, it yields its processor once: it never waits for the lock. Nobody
// holds it for much longer than a millisecond, but for Timer.Stop and a clock that was set back.
// [WithMaxPending] bounds how many timeouts are pending at all.
//
// # Misuse is caught
//
// A Timeout that was copied or overwritten while its timer holds it makes the process panic, at
// the latest when the wheel meets it. [Timeout] says how that comes about, and what escapes:
//
//	hashedwheel: Timeout of a *main.lease was copied or overwritten after it was armed
//
// # Lateness is told
//
// [Stats] has how late tasks were handed out, and how long the oldest due timeout has waited:
// be alarmed by an Overdue above two ticks, or, with a short tick, above what you tolerate.
//
// # Series and channels
//
// [Timer.Every] and [Timer.Recur] run a function again and again. [Timer.After] is a deadline for
// a select; it does not replace time.Sleep, since Timer.Stop closes its channel at once.
//
// # Virtual time
//
// In a testing/synctest bubble a Timer lives on the bubble's time. Make it inside, and stop it
// before the bubble ends: one made outside panics there. A [ManualClock] does without a bubble.
//
// # Not promised
//
// The order of timeouts that are due in the same tick. That State and Pending still hold once
// they have returned. Anything about time during which the machine was suspended: Linux's
// monotonic clock stops then.
package hashedwheel
