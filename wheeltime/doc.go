// Package wheeltime has package time's Timer and Ticker, with their channels, on a
// [hashedwheel.Timer]. In code that selects on t.C only the line that makes t changes:
//
//	tm := hashedwheel.MustNew(hashedwheel.WithTick(10 * time.Millisecond)) // one for the program
//
//	t := wheeltime.NewTimer(tm, 30*time.Second)
//	defer t.Stop()
//	select {
//	case r := <-reply:
//	case <-t.C:
//	}
//
// Code that takes its time from a clock gets a [Clock], which has all of package time's functions
// as methods.
//
// # The tick
//
// Everything fires up to one tick of tm late, and never early. So choose a tick of a hundredth of
// the shortest usual delay: 10ms for timeouts of a second, the default of 100ms for timeouts of ten
// seconds and more. A short tick costs nothing while few timeouts are due: the wheel sleeps until
// the next one. With steady traffic its worker wakes once a tick. A Ticker with a period below the
// tick ticks once a tick. If delays must be right to a millisecond, stay with package time.
//
// # The same as in package time
//
// As since Go 1.23, no older value is received once Stop or Reset has returned, however closely
// they race with the expiry. So a Timer can be moved for every message without draining its
// channel. If the value is still in the channel, Stop and Reset take it back and return true.
//
// A delay of zero or less fires at once, not at the next tick. A Ticker drops ticks that nobody
// receives, stays on its grid, and panics if its period is not positive. The time that is
// received is right even after the machine's wall clock was set.
//
// # Differences
//
// The channel of a Timer or Ticker has room for one value, and len shows it; in package time len
// and cap are 0. The wheel keeps a Ticker until it is stopped, and an [After] until it is due, even
// if the program has no reference to them.
//
// The Executor of tm sends the values and runs the f of [AfterFunc]: by default a goroutine, in
// which f may block; with hashedwheel.Inline the worker, where a slow f delays all other timeouts.
// A send takes well under a microsecond and never blocks. A busy Executor makes values late; an
// Executor that loses tasks loses values, except the values of Sleep and After. No Executor can make
// a value stale. A panic of f is handled like that of any task of tm. But if d was zero or less, or
// tm refused the Timer, f runs in a new goroutine, as under time.AfterFunc.
//
// # When the wheel is stopped or full
//
// Nothing is lost. If tm refuses a Timer or Ticker, because tm was stopped or has reached
// WithMaxPending, package time fires it until its next Reset. Timer.Stop of tm ends the pending
// Timers and Tickers as if each had been stopped, and returns their Timeouts; a later Reset uses
// package time. Only [Sleep] and [After] end at their time all the same, because no caller could
// set them again: package time counts the rest. It counts real time, even if tm has another clock
// than the system's.
//
// # What it costs
//
// NewTimer allocates the Timer and its channel, 248 bytes on 64-bit machines, and AfterFunc 112
// bytes, both as in package time. Stop and Reset allocate nothing, nor does Sleep if another
// goroutine sleeps until the same tick. While any After is pending, one goroutine watches tm, and
// one timeout more is pending.
//
// A Reset of an AfterFunc Timer takes 77 ns against 48 of package time, and NewTimer with Stop 480
// against 370, because a Timer takes its own lock, and reads the clock, which may be your code,
// before that. After takes up to twice as long as package time's, because it also keeps a list.
// (Linux, AMD EPYC, two cores, Go 1.26, nothing else pending.) To compare on your machine:
//
//	go test -run '^$' -bench . -benchmem ./wheeltime
//
// A [hashedwheel.Timeout] that is a field of your own struct costs less than a Timer (no channel,
// no lock, no allocation), and the After of a hashedwheel.Timer less than one channel per call.
package wheeltime
