// Package wheeltime provides the time package's Timer and Ticker, with their channels, on a [hashedwheel.Timer]. In
// code that selects on t.C only the line that makes t changes:
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
// Code that takes its time from a clock gets a [Clock], which has the time package's functions as methods.
//
// # The tick
//
// A Timer or Ticker fires, and a wait ends, up to one tick of tm late, 1 ms by default, and never early. A delay of
// zero or less is over at once, not at the next tick. A Ticker with a period below the tick ticks about once a tick.
//
// # The same as in the time package
//
// As in Go 1.23 and later, no older value is received after Stop or Reset has returned, even if they race with the
// expiry: the channel need not be drained. Code that drains it, by if !t.Stop() { <-t.C }, works as before.
//
// # Differences
//
// The channel of a Timer or Ticker has a buffer of one value, and len shows it; in the time package len and cap are 0.
//
// Stop each Timer and [Ticker] that you no longer need. The wheel keeps a forgotten [NewTimer] or [After] for its whole
// delay (100,000 of them take 24 MB) and a forgotten Ticker forever. Since Go 1.23 the time package frees a Timer or
// Ticker whose channel has no references.
//
// The library's own goroutines send the values, whatever Executor tm has; with hashedwheel.Inline the worker does, so
// on a ManualClock all values have been sent when Advance returns. The Executor runs the f of [AfterFunc]. A blocked
// worker delays values, f, After and Sleep. A Sleep in an Inline task of tm itself never returns.
//
// # When the wheel is full or stopped
//
// WithMaxPending refuses nothing here: a full wheel accepts Timers, Tickers and waits. They count as pending, so the
// wheel refuses the timeouts of others until fewer than its bound are left.
//
// Functions end, channels go on: after Timer.StopAll of tm, which returns none of these, no function of [AfterFunc]
// starts, and the time package counts on for the channels of [NewTimer], [NewTicker] and [After], and for [Sleep]. See
// package [hashedwheel]. Such a Timer or Ticker can still be stopped and Reset. A delay that the clock of tm cannot
// reach, of about 9 years, never ends.
//
// # What it costs
//
// NewTimer allocates the Timer and its channel, 232 bytes on 64-bit machines, and AfterFunc 96 bytes, each 16 less than
// in the time package; After allocates 200. Until the wheel is stopped, Stop and Reset allocate nothing, nor does Sleep
// if another goroutine sleeps until the same tick.
//
// A Reset of an AfterFunc Timer, NewTimer with Stop, and most of all After take longer than in the time package, which
// does nothing for a channel that no goroutine waits for. To compare on your machine:
//
//	go test -run '^$' -cpu 1 -bench . -benchmem ./wheeltime
//
// A [hashedwheel.Timeout] that is a field of your own struct costs less than a Timer (no channel, no lock, no
// allocation). The After of a hashedwheel.Timer, whose callers share channels, costs less than the After here.
package wheeltime
