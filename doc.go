// Package hashedwheel keeps tens of thousands to millions of timeouts, most of which are moved or stopped before they
// expire: idle timeouts that move at every read, deadlines of calls that nearly all return in time. Arming, moving, or
// stopping a timeout takes 25–150 ns of CPU time (300 to move one of a million). The trade-off: where more than one
// timeout expires per tick, by default 1ms, a task may start up to one tick late; where fewer expire, up to a tenth.
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
// Stay with the time package for fewer than ten thousand timers. Timeouts do not survive the process: work that must
// happen after a restart belongs in a store.
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
// delay, in nanoseconds, and is rounded up to a tenth of a tick, never down. That holds through clock jumps, stalls,
// Resets that race with expiry, and any delay, as long as the clock does not go back (see [Clock]). A delay too large
// for the clock, which counts about 9 years from New, means never; such a timeout can still be stopped.
//
// # At most one tick late
//
// A task is handed to the Executor within one tick of its deadline, plus the delay that the operating system, Go's
// scheduler or the Executor adds. Where few timeouts expire, tasks are more punctual: see [WithTick]. A delay of zero
// or less is due at once. The library's own work adds a few milliseconds at most, even with a million timeouts due
// within a second. Extreme loads exceed that: half a million due within half a second, or 160,000 moved earlier,
// are occasionally 10 to 20ms late; a million due within 100ms take 0.3 s to dispatch; a million in one tick, all moved
// later in the last half second, delay others by 0.2 s.
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
// Tasks, panic handlers, executors and clocks are called with no internal lock held, and only [Timer.Shutdown] waits
// for tasks. Every method may be called from inside a task, including Timer.StopAll. A panic in a task crashes the
// program, as with time.AfterFunc, unless [WithPanicHandler] is given.
//
// # Quiet
//
// While timeouts wait, a Timer has no goroutine (on a [Clock] of your own, one), and nothing ticks. The worker runs
// when a timeout is due. Calls that arm or stop timeouts that are not due yet wake it at most twenty times a second, or
// when a few hundred have queued up. Three things wake it for nothing:
//   - A timeout was stopped less than 50ms before its deadline.
//   - A far timeout was stopped or moved later: the worker runs at its old time, at most about twenty times a second.
//   - A time.Timer was set for a timeout that changed later. [Stats] does not count that.
//
// # Any delay costs the same
//
// The wheel touches a timeout a handful of times on the way to any deadline, whatever the wheel's size. The cost of
// catching up after a clock jump grows with the pending timeouts, not with the missed ticks.
//
// # Small and garbage-free
//
// A Timeout is 48 bytes on 64-bit machines, and takes 8 to 16 more while it is pending. After a peak, a slot of the
// wheel keeps up to 5 KiB until it is empty. AfterFunc and Schedule allocate the Timeout and nothing else; Reset, Move
// and Stop allocate nothing, except that in a flood they may let the wheel grow, and on a [Clock] of your own may start
// a goroutine. An Executor other than Inline may allocate to run a task. A canceled timeout, and everything its task
// holds, is garbage within two ticks or a tenth of a second, whichever is longer, unless the worker is blocked. The
// wheel keeps timeouts in arrays, not in linked lists, so a garbage collection with a million pending takes less time
// than with a million time.Timers.
//
// # Bounded work
//
// Even while timeouts are armed as fast as the machine can, the library's own work delays due ones by a few
// milliseconds at most: the worker sorts in the timeouts that are queued when it begins, and dispatches due ones at
// least every two milliseconds, half a tick or 100,000 timeouts. Callers that outrun the worker help it: once about 512
// timeouts wait in a caller's part of the queue, the caller drops the stopped ones, or waits its turn and sorts in some
// of the others (timeouts due later than 150 to 200ms: once 8,192 wait, or 32,768 while the worker is on time). No lock
// is held for longer than about a millisecond, unless its holder loses its processor or has to help the collector, or
// is Timer.StopAll. [WithMaxPending] bounds how many may be pending.
//
// # Most misuse is caught
//
// A Timeout that was copied or overwritten while its Timer holds it makes the process panic, at the latest when the
// wheel uses it. [Timeout] shows the message, and lists the misuse that goes unnoticed. If a program recovers that
// panic, the Timer is broken for good: every later call that uses the wheel, such as Pending or Timer.StopAll, panics
// with the same message. So does the worker, which ends the process. No call hangs.
//
// # Lateness is reported
//
// [Stats] reports how late tasks were handed to the Executor, and how long the oldest due timeout has waited. Alert on
// an Overdue above the delay that you tolerate, such as a tenth of the shortest deadline, but at least two ticks.
//
// # Virtual time
//
// In a testing/synctest bubble a Timer runs on the bubble's time. Make it there: a Timer from outside panics in a
// bubble, and a Timer from a bubble panics outside. Pending timeouts do not keep the bubble from ending, so the Timer
// needs no Stop, unless it has a Clock of your own. A [ManualClock] needs no bubble.
//
// # Not promised
//
// Timeouts that are due within a tick of each other may run in any order. State and Pending may be out of date once
// they have returned. Time during which the machine was suspended does not count: Linux's monotonic clock stops then.
package hashedwheel
