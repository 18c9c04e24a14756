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
// Everything fires up to one tick of tm late, 1 ms by default, and never early. A Ticker with a period below the tick
// ticks once a tick.
//
// # The same as in package time
//
// As since Go 1.23, no older value is received after Stop or Reset has returned, however closely they race with the
// expiry: nobody need drain the channel. If the value is still in the channel, Stop and Reset take it back and return
// true.
//
// A delay of zero or less fires at once, not at the next tick. A Ticker drops ticks that nobody receives, stays on its
// grid, and panics if its period is not positive. A received time is right even after the machine's wall clock was set.
//
// # Differences
//
// The channel of a Timer or Ticker has room for one value, and len shows it; in package time len and cap are 0.
//
// Stop each Timer and [Ticker] that you no longer need. The wheel keeps a forgotten [NewTimer] or [After] for its whole
// delay, 100,000 of them take 24 MB, and a forgotten Ticker until Timer.Stop of tm. Package time, since Go 1.23, frees
// those whose channel nobody can receive from.
//
// The library's own goroutines send the values, whatever Executor tm has; with hashedwheel.Inline the worker does, so
// on a ManualClock all values have been sent when Advance returns. The Executor runs the f of [AfterFunc]. A blocked
// worker delays everything: values, f, After and Sleep. A Sleep in an Inline task of tm itself never returns.
//
// A panic of f is handled like a panic of any task of tm. But if d is zero or less, or tm was stopped, f runs in a new
// goroutine, as under time.AfterFunc: then its panic crashes the program, and Shutdown does not wait for f.
//
// # When the wheel is full or stopped
//
// WithMaxPending refuses nothing here: a full wheel accepts Timers, Tickers and waits. They count as pending, so the
// wheel refuses the timeouts of others until fewer than its bound are left.
//
// Timer.Stop of tm ends the pending Timers and Tickers as if each had been stopped, and does not return them. An f
// whose Timer has expired by then still runs, and a Ticker whose run has begun may send one more tick. [Sleep] and
// [After] end at their time all the same: package time counts the rest. But whoever waits for the C or the f of a Timer
// that was pending waits forever. Timers that are made or Reset later fire by package time. Package time counts real
// time, whatever the clock of tm.
//
// # What it costs
//
// NewTimer allocates the Timer and its channel, 232 bytes on 64-bit machines, and AfterFunc 96 bytes, each 16 less than
// in package time; After allocates 200. Stop and Reset allocate nothing while the wheel is not stopped, nor does Sleep
// if another goroutine sleeps until the same tick.
//
// A Reset of an AfterFunc Timer takes 57 ns, in package time 40; NewTimer with Stop 220, and 170; After 420, and 140,
// since package time does nothing for a channel that nobody waits for. (Linux, Intel Xeon, one core, Go 1.26, nothing
// else pending.) To compare on your machine:
//
//	go test -run '^$' -cpu 1 -bench . -benchmem ./wheeltime
//
// A [hashedwheel.Timeout] that is a field of your own struct costs less than a Timer (no channel, no lock, no
// allocation), and the After of a hashedwheel.Timer less than one channel per call.
package wheeltime
