package recipes_test

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A libraryTimer is what a library needs of its timers. *time.Timer and *hashedwheel.Timeout implement it.
type libraryTimer interface {
	Stop() bool
	Reset(d time.Duration) bool
}

// A libraryAfterFunc makes the timers of a library, which imports the time package alone.
type libraryAfterFunc func(d time.Duration, f func()) libraryTimer

// A libraryConfig is the library's configuration. If AfterFunc is nil, the library uses the time package.
type libraryConfig struct{ AfterFunc libraryAfterFunc }

// A keepalive pings a peer once nothing has been received from it for a while.
type keepalive struct {
	after time.Duration
	quiet libraryTimer
}

func newKeepalive(config libraryConfig, after time.Duration, ping func()) *keepalive {
	afterFunc := config.AfterFunc
	if afterFunc == nil {
		afterFunc = func(d time.Duration, f func()) libraryTimer { return time.AfterFunc(d, f) }
	}
	return &keepalive{after: after, quiet: afterFunc(after, ping)}
}

func (k *keepalive) onReceive() { k.quiet.Reset(k.after) }
func (k *keepalive) close()     { k.quiet.Stop() }

// onWheel is the adapter, in the program. Go does not assign tm.AfterFunc itself, whose result is a *Timeout. Close
// the library's objects before you stop tm: on a stopped Timer their functions never run.
func onWheel(tm *hashedwheel.Timer) libraryAfterFunc {
	return func(d time.Duration, f func()) libraryTimer { return tm.AfterFunc(d, f) }
}

// A library for others takes its timers from an interface, a function type and an adapter, and so depends on no timer
// library.
func Example_library() {
	tm := hashedwheel.MustNew()
	for _, config := range []libraryConfig{{}, {AfterFunc: onWheel(tm)}} {
		pinged := make(chan bool)
		k := newKeepalive(config, time.Hour, func() { pinged <- true })
		fmt.Printf("%T, %d pending in the wheel\n", k.quiet, tm.Pending())
		k.quiet.Reset(0) // an hour has passed
		fmt.Println("pinged:", <-pinged)
		k.onReceive()
		k.close()
	}
	// Output:
	// *time.Timer, 0 pending in the wheel
	// pinged: true
	// *hashedwheel.Timeout, 1 pending in the wheel
	// pinged: true
}
