package loads

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// lost returns a Fault if t has refused armings, out of so many.
func lost(t peers.Timer, armed int) error {
	if l, ok := t.(peers.Loser); ok && l.Lost() > 0 {
		return Fault(fmt.Sprintf("lost %s of %s", numbers.Grouped(l.Lost()), numbers.Grouped(armed)))
	}
	return nil
}

// tally counts the timeouts that fired, and how many of the checked ones were early.
type tally struct {
	fired atomic.Int64

	mu       sync.Mutex
	checked  int           // guarded by mu
	early    int           // guarded by mu
	earliest time.Duration // guarded by mu
}

// fire is the task of most timeouts.
func (t *tally) fire() { t.fired.Add(1) }

// checkedFire returns a function for a timeout that is due d from now.
func (t *tally) checkedFire(d time.Duration) func() {
	due := time.Now().Add(d)
	return func() {
		by := time.Until(due)
		t.mu.Lock()
		t.checked++
		if by > 0 {
			t.early++
			t.earliest = max(t.earliest, by)
		}
		t.mu.Unlock()
		t.fired.Add(1)
	}
}

// wait returns once want timeouts have fired, or none has for the time of patience.
func (t *tally) wait(want int, patience time.Duration) {
	seen, since := int64(0), time.Now()
	for time.Since(since) < patience {
		n := t.fired.Load()
		if n >= int64(want) {
			return
		}
		if n > seen {
			seen, since = n, time.Now()
		}
		time.Sleep(200 * time.Microsecond)
	}
}

// fault returns a Fault unless exactly want have fired.
func (t *tally) fault(want int) error {
	n := int(t.fired.Load())
	switch {
	case n < want:
		return Fault(fmt.Sprintf("lost %s of %s", numbers.Grouped(want-n), numbers.Grouped(want)))
	case n > want:
		return Fault(fmt.Sprintf("fired %s for %s armed", numbers.Grouped(n), numbers.Grouped(want)))
	}
	return nil
}

// mark describes the early timeouts.
func (t *tally) mark() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.early == 0 {
		return ""
	}
	return early(t.earliest, t.early, t.checked)
}

func early(by time.Duration, n, of int) string {
	return fmt.Sprintf("EARLY by %.1f ms (%s of %s)", by.Seconds()*1e3, numbers.Grouped(n), numbers.Grouped(of))
}

// patience returns how long a silent timer may still be at work: some peers fire
// late by a whole turn of their wheel.
func patience(p peers.Peer, tick time.Duration) time.Duration {
	const turn = 512
	return 2*time.Second + min(turn*p.Tick(tick), 6*time.Second)
}
