// Package hashedwheel implements a timer for tens of thousands to millions of timeouts, most of which are moved or
// stopped before they expire: idle timeouts that move at every read, deadlines of calls that nearly all return in time.
// Arming a new timeout and stopping it takes 200–240 ns of CPU time, 70 ns if its Timeout is kept, and moving one
// takes 200–390 ns (docs/measured.md). On Linux, the median lateness of tasks is a fifth of the time package's. The
// trade-off: where more than one timeout expires per tick, by default 1ms, a task may start up to one tick late.
//
//	tm := hashedwheel.MustNew()
//	t := tm.AfterFunc(30*time.Second, func() { ... })
//	t.Move(time.Minute)
//	t.Stop()
//
// A [Timer] holds many timeouts, and a program seldom needs more than one Timer. A [Timeout] is one of these timeouts;
// the time package calls it a Timer. [Timeout.Stop] cancels one, [Timer.StopAll] cancels all. [Timer.Every] and
// [Timer.Recur] run a function repeatedly, and [Timer.After] is a deadline for a select.
//
// Package wheeltime provides the time package's timers and tickers with channels, idle closes idle connections, keyed
// provides a map whose values expire, and inspect serves a page of pending timeouts.
//
// Stay with the time package if you have fewer than ten thousand timers and their lateness does not matter. Timeouts do
// not survive the process: work that must happen after a restart belongs in a store.
//
// # Words
//
// To arm a timeout is to give it a deadline, by AfterFunc, Schedule, Arm or Reset. The timeout is then pending, and
// Move gives it another deadline. Once its deadline has passed, the timeout expires: its task is handed to the
// [Executor]. Until then Stop cancels it. A stopped or full Timer rejects new timeouts. A tick is the most by which the
// Timer delays a task. When a timeout is due, a time.Timer starts a goroutine, the worker, which hands the tasks of all
// due timeouts to the Executor.
//
// # Never early
//
// A task never starts before its deadline, read on the Timer's clock. The deadline is the time of the call plus the
// delay, in nanoseconds, and is not rounded. This holds through stalls, for Resets that race with expiry, and for any
// delay. The clock counts about 9 years from New. A longer delay means never; such a timeout can still be stopped.
//
// # At most one tick late
//
// A task is handed to the Executor within one tick of its deadline, plus the delay that the operating system, Go's
// scheduler or the Executor adds. Where few timeouts expire, the worker runs for each at its own time: see [WithTick].
// A delay of zero or less is due at once.
//
// On Linux, the operating system and Go add about 0.1ms at the median and 0.6ms at the 99th percentile (bench, Late). A
// time.Timer is half a millisecond late there, and up to 20ms late after 20 seconds in which the process does nothing
// else (bench, Far). To avoid this, a Timer uses a timerfd, which takes one file descriptor. If none is left, the Timer
// is as punctual as the time package.
//
// The library's own work usually adds a few milliseconds at most: of half a million timeouts due within half a second,
// the latest was 7ms late (bench, DueLate). Of 160,000 that were moved earlier at once, it was 24ms (bench,
// MoveEarlier).
//
// # One outcome each time a timeout is armed
//
// Expired: the task was handed to the Executor. Canceled: [Timeout.Stop] returned true, or [Timer.StopAll] returned the
// timeout. Rejected: the Timer was stopped or full, and [Timeout.Err] returns the reason. A Reset or Move of a pending
// timeout only changes its deadline.
//
// # Functions end, channels go on
//
// Once [Timer.StopAll] has begun, a function starts only if it was handed to the Executor before. This applies to
// tasks, runs of a [Series], callbacks of packages keyed and idle, and functions of wheeltime.AfterFunc.
//
// A goroutine that waits for a channel is woken at the channel's time, not early, and never left waiting: the channels
// of [Timer.After] and of package wheeltime, including those of Tickers and later ones, go on in the time package.
// A channel that is due while StopAll runs is late by at most the time that StopAll takes. On a [ManualClock], the
// remaining delay of each channel ends at once, and later delays pass in real time.
//
// No timeout is lost: StopAll returns every timeout that you armed and that will not run, even if it was armed or moved
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
// A Timer whose timeouts are all waiting has no goroutine, and does not wake up at each tick. Calls that arm or stop
// timeouts put them into a queue. If nothing expires, the worker empties it twenty times a second at most, unless a few
// hundred timeouts wait in it. A run for a due timeout also empties it, except for timeouts due in 0.2s or later. A
// timeout that is stopped or moved later may start the worker once, at its old time.
//
// # Cost does not grow with the delay
//
// The wheel visits a timeout a handful of times before any deadline, whatever the wheel's size. The cost of catching up
// after a stall grows with the number of pending timeouts, not with the number of missed ticks.
//
// # Small and garbage-free
//
// A Timeout is 48 bytes on 64-bit machines, and takes 8 to 16 more while it is pending. AfterFunc and Schedule allocate
// the Timeout and nothing else. Reset, Move and Stop allocate nothing, except that in a flood they may let the wheel
// grow. An Executor other than Inline may allocate to run a task.
//
// A canceled timeout, and everything its task holds, is garbage within two ticks or a tenth of a second, whichever is
// longer, unless the worker is blocked. After a peak, a slot of the wheel keeps up to 5 KiB until it is empty. Timeouts
// are kept in arrays, not in linked lists, so a garbage collection with a million pending takes no more time than with
// a million time.Timers.
//
// # Bounded work
//
// While timeouts are armed as fast as the machine can, the library's own work delays due timeouts by a few
// milliseconds: the worker, while it empties the queue into the wheel, hands due tasks to the Executor every two
// milliseconds, or once a tick if that is longer. Timeouts that are armed meanwhile and are due before the queue is
// empty wait until it is: with 150,000 in it for ten to twenty milliseconds (bench, Late). Go's scheduler may add more:
// if hundreds of goroutines never block, the worker waits for a processor, for up to seconds.
//
// If callers fill the queue faster than the worker empties it, they help: a call that finds 512 timeouts in its part of
// the queue moves some of them to the wheel, and may first wait for another caller that does so. Timeouts due in 0.2s
// or later may queue in larger numbers, since most of them are stopped soon. [WithMaxPending] bounds the number of
// pending timeouts.
//
// No lock is held for longer than about a millisecond, except by Timer.StopAll, or if the system or the garbage
// collector delays the goroutine that holds it.
//
// # Most misuse is caught
//
// Do not copy or overwrite a Timeout while its Timer refers to it. If you do, in most cases the process panics, at the
// latest when the Timer uses the Timeout; three mistakes go unnoticed: see [Timeout]. The panic cannot be recovered,
// since the wheel may be damaged. Call [Timeout.Release] before you clear a struct that holds a Timeout.
//
// # Lateness is reported
//
// [Stats] reports how late tasks were handed to the Executor, and how long the oldest due timeout has waited. Alert if
// Overdue exceeds the delay that you tolerate, such as a tenth of the shortest deadline, but at least two ticks.
//
// # Virtual time
//
// In a testing/synctest bubble a Timer runs on the bubble's time, and each timeout expires exactly at its deadline, or
// a nanosecond from now if that has passed, unless [WithTick] is given. Make the Timer in the bubble: a Timer from
// outside panics there, and a Timer from a bubble panics outside, and ends the process in another bubble. So code under
// test should take its Timer as a parameter or a field, not from a package variable. Pending timeouts do not keep the
// bubble from ending, and the Timer needs no StopAll. A [ManualClock] needs no bubble.
//
// # Not promised
//
// Timeouts that are due within a tick of each other may run in any order. The results of State and Pending may be out
// of date when the calls return. Time during which the machine is suspended does not count: Linux's monotonic clock
// stops.
package hashedwheel
