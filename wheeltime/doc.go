// Package wheeltime has package time's Timer and Ticker, with their channels, on a [hashedwheel.Timer]. In code that
// selects on t.C only the line that makes t changes:
//
//	tm := hashedwheel.MustNew() // one for the program
//
//	t := wheeltime.NewTimer(tm, 30*time.Second)
//	defer t.Stop()
//	select {
//	case r := <-reply:
//	case <-t.C:
//	}
//
// Code that takes its time from a clock gets a [Clock], which has all of package time's functions as methods.
//
// # The tick
//
// Everything fires up to one tick of tm late, and never early. So choose a tick of a hundredth of the shortest usual
// delay. A Ticker with a period below the tick ticks once a tick. If delays must be right to a millisecond, stay with
// package time.
//
// # The same as in package time
//
// As since Go 1.23, no older value is received once Stop or Reset has returned, however closely they race with the
// expiry. So a Timer can be moved for every message without draining its channel. If the value is still in the channel,
// Stop and Reset take it back and return true.
//
// A delay of zero or less fires at once, not at the next tick. A Ticker drops ticks that nobody receives, stays on its
// grid, and panics if its period is not positive. A received time is right even after the machine's wall clock was set.
//
// # Differences
//
// The channel of a Timer or Ticker has room for one value, and len shows it; in package time len and cap are 0.
//
// The wheel keeps everything until it is due or stopped, even if the program has no reference to it. Package time,
// since Go 1.23, keeps nothing for a Timer, a Ticker or an After whose channel nobody can receive from. So stop each
// Timer and [Ticker] that you no longer need: a forgotten [NewTimer] or [After] stays for its whole delay, 100,000 of
// them for an hour are 24 MB, and a forgotten Ticker stays until Timer.Stop of tm.
//
// The library's own goroutines send the values, whatever Executor tm has; with hashedwheel.Inline the worker does, so
// that on a ManualClock all values have been sent when Advance returns. The Executor runs the f of [AfterFunc]: by
// default in a goroutine, where f may block; with Inline on the worker, where a slow f delays all other timeouts. A
// blocked worker delays everything: values, f, After and Sleep. A Sleep in an Inline task of tm itself never returns.
//
// A panic of f is handled like that of any task of tm. But if d is zero or less, or tm was stopped, f runs in a new
// goroutine, as under time.AfterFunc: then its panic crashes the program, and Shutdown does not wait for it.
//
// # When the wheel is full or stopped
//
// WithMaxPending refuses nothing here: a full wheel accepts Timers, Tickers and waits. They count as pending, so the
// wheel refuses the timeouts of others until fewer than its bound are left.
//
// Timer.Stop of tm ends the pending Timers and Tickers as if each had been stopped, also a Timer of AfterFunc, and does
// not return them. Timer.Stop runs no f: an f whose Timer has expired by then still runs, and a Ticker whose run has
// begun may send one more tick. [Sleep] and [After] end at their time all the same, because no caller could set them
// again: package time counts the rest. All that is made or Reset later fires by package time, so nothing hangs. Package
// time counts real time, even if tm has another clock than the system's.
//
// # What it costs
//
// NewTimer allocates the Timer and its channel, 232 bytes on 64-bit machines, and AfterFunc 96 bytes, each 16 less than
// in package time; After allocates 200. Stop and Reset allocate nothing while the wheel is not stopped, nor does Sleep
// if another goroutine sleeps until the same tick.
//
// A Reset of an AfterFunc Timer takes 57 ns against 40 of package time, and NewTimer with Stop 220 against 170, because
// a Timer takes its own lock, and reads the clock, which may be your code, before that. After takes 420 ns against 140,
// because package time does nothing more for a channel that nobody waits for. (Linux, Intel Xeon, one core, Go 1.26,
// nothing else pending.) To compare on your machine:
//
//	go test -run '^$' -cpu 1 -bench . -benchmem ./wheeltime
//
// A [hashedwheel.Timeout] that is a field of your own struct costs less than a Timer (no channel, no lock, no
// allocation), and the After of a hashedwheel.Timer less than one channel per call.
package wheeltime
