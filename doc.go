// Package hashedwheel keeps tens of thousands to millions of timeouts, most of which are moved or stopped before they
// expire: idle timeouts that move at every read, deadlines of calls that nearly all return in time. Arming, moving, or
// stopping a timeout takes 25–150 ns of CPU time (300 to move one of a million). On Linux tasks are several times as
// punctual as with the time package. The trade-off: where more than one timeout expires per tick, by default 1ms, a
// task may start up to one tick late.
//
//	tm := hashedwheel.MustNew()
//	t := tm.AfterFunc(30*time.Second, func() { ... })
//	t.Move(time.Minute)
//	t.Stop()
//
// A [Timer] holds many timeouts, and a program seldom needs more than one. A [Timeout] is one of them (the time package
// calls it a Timer). [Timeout.Stop] cancels one, [Timer.StopAll] cancels all. [Timer.Every] and [Timer.Recur] run a
// function again and again, and [Timer.After] is a deadline for a select.
//
// Package wheeltime provides the time package's timers and tickers with channels, idle closes idle connections, keyed
// provides a map whose values expire, and inspect serves a page of pending timeouts.
//
// Stay with the time package for fewer than ten thousand timers, unless you want their punctuality. Timeouts do not
// survive the process: work that must happen after a restart belongs in a store.
//
// # Words
//
// To arm a timeout is to give it a deadline, by AfterFunc, Schedule or Reset; the timeout is then pending, and Move
// gives it another deadline. When its deadline has passed it expires: its task is handed to the [Executor]. Until then
// Stop cancels it. A timeout that a stopped or full timer refuses is rejected. A tick is the most that a task can be
// late. When a timeout is due, a time.Timer starts a goroutine, the worker, which hands the tasks of all timeouts that
// are due by then to the Executor.
//
// # Never early
//
// A task never starts before its deadline, read on the timer's clock. The deadline is the time of the call plus the
// delay, in nanoseconds, and is not rounded. That holds through stalls, Resets that race with expiry, and any delay. A
// delay too large for the clock, which counts about 9 years from New, means never; such a timeout can still be stopped.
//
// # At most one tick late
//
// A task is handed to the Executor within one tick of its deadline, plus the delay that the operating system, Go's
// scheduler or the Executor adds. Where few timeouts expire, the worker runs for each at its own time: see [WithTick].
// A delay of zero or less is due at once.
//
// On Linux the operating system and Go add about 0.1ms, where a time.Timer is half a millisecond late, and 20ms after
// 20 seconds in which the process does nothing else. A Timer has a timerfd for that, one file descriptor. If it gets
// none, it is as punctual as the time package.
//
// The library's own work adds a few milliseconds at most, even with a million timeouts due within a second. Extreme
// loads exceed that:
//
//	half a million due within half a second, or 160,000 moved earlier   sometimes 10 to 20ms late
//	half a million of one tick, all moved later just before it          others 10ms late
//	a million due within 100ms                                          0.3s to dispatch all
//
// # One outcome each time a timeout is armed
//
// Expired: the task was handed to the Executor. Canceled: [Timeout.Stop] returned true, or [Timer.StopAll] returned the
// timeout. Rejected: the timer was stopped or full, and [Timeout.Err] returns which. A Reset or Move of a pending
// timeout only moves its deadline.
//
// # Functions end, channels go on
//
// Once [Timer.StopAll] has begun, no function starts that had not been handed to the Executor by then: no task, no run
// of a [Series], no callback of packages keyed and idle, no function of wheeltime.AfterFunc. Whoever waits for a
// channel gets it at its time: the channels of [Timer.After] and of package wheeltime, those of Tickers included, go on
// in the time package, and so do all that are made later. No waiting goroutine is woken early or waits forever. On a
// [ManualClock] no more time passes for a stopped Timer: what is left of each delay is over at once, and later delays
// pass in real time. A channel that is due while StopAll runs is late by up to as long as StopAll takes.
//
// Nothing is lost: StopAll returns every timeout that you armed and that will not run, even if it was armed or moved
// while StopAll ran, and nothing else. The values of a keyed.Map stay in it for Drain. Later calls are refused:
// Schedule returns [ErrStopped]. If several goroutines arm and stop one Timeout while StopAll runs, the Timeout can
// still become Rejected until the last of their calls has returned.
//
// # User code runs without locks
//
// Tasks, panic handlers and executors are called with no internal lock held, and only [Timer.Shutdown] waits for tasks.
// Every method may be called from inside a task, including Timer.StopAll. A panic in a task crashes the program, as
// with time.AfterFunc, unless [WithPanicHandler] is given.
//
// # Quiet
//
// While timeouts wait, a Timer has no goroutine, and nothing ticks. The worker runs when a timeout is due. Calls that
// arm or stop timeouts wake it at most twenty times a second, or when a few hundred have queued up. A timeout that was
// stopped or moved later may wake it once at its old time.
//
// # Any delay costs the same
//
// The wheel touches a timeout a handful of times on the way to any deadline, whatever the wheel's size. The cost of
// catching up after a stall grows with the pending timeouts, not with the missed ticks.
//
// # Small and garbage-free
//
// A Timeout is 48 bytes on 64-bit machines, and takes 8 to 16 more while it is pending. AfterFunc and Schedule allocate
// the Timeout and nothing else. Reset, Move and Stop allocate nothing, except that in a flood they may let the wheel
// grow. An Executor other than Inline may allocate to run a task.
//
// A canceled timeout, and everything its task holds, is garbage within two ticks or a tenth of a second, whichever is
// longer, unless the worker is blocked. After a peak, a slot of the wheel keeps up to 5 KiB until it is empty. The
// wheel keeps timeouts in arrays, not in linked lists, so a garbage collection with a million pending takes less time
// than with a million time.Timers.
//
// # Bounded work
//
// Even while timeouts are armed as fast as the machine can, due ones are delayed by a few milliseconds at most. The
// worker first sorts in the timeouts that are queued when it begins. Meanwhile it dispatches due ones at least every
// two milliseconds.
//
// One worker cannot keep up with many callers, so callers help. Once 512 timeouts wait in a caller's part of the queue,
// the caller waits its turn and sorts some of them in. Timeouts that are due later than 150 to 200ms may wait in larger
// numbers, since most are stopped by then. [WithMaxPending] bounds how many may be pending.
//
// No lock is held for longer than about a millisecond, unless its holder loses its processor or has to help the
// collector, or is Timer.StopAll.
//
// # Most misuse is caught
//
// If a Timeout is copied or overwritten while its Timer holds it, the process panics, at the latest when the wheel uses
// it. No recover stops that panic, since the wheel may be damaged. [Timeout] shows the message, and lists the misuse
// that goes unnoticed. [Timeout.Release] makes it safe to clear a struct.
//
// # Lateness is reported
//
// [Stats] reports how late tasks were handed to the Executor, and how long the oldest due timeout has waited. Alert on
// an Overdue above the delay that you tolerate, such as a tenth of the shortest deadline, but at least two ticks.
//
// # Virtual time
//
// In a testing/synctest bubble a Timer runs on the bubble's time, and each timeout expires exactly at its deadline
// unless [WithTick] is given. Make the Timer in the bubble: one from outside panics there, and one from a bubble panics
// outside. So code under test takes its Timer as a parameter or a field, not from a package variable. Pending timeouts
// do not keep the bubble from ending, and the Timer needs no StopAll. A [ManualClock] needs no bubble.
//
// # Not promised
//
// Timeouts that are due within a tick of each other may run in any order. State and Pending may be out of date once
// they have returned. Time during which the machine was suspended does not count: Linux's monotonic clock stops then.
package hashedwheel
