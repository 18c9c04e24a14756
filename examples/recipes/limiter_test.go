package recipes_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

const (
	callsPerSecond, callsAtOnce = 10, 20
	// A limiter is full after two seconds without a call, so that a new one in its place allows no more.
	limiterIdle = time.Minute
)

// A limiter is a token bucket. The zero limiter is full.
type limiter struct {
	mu     sync.Mutex
	tokens float64   // at last; guarded by mu
	last   time.Time // guarded by mu
}

func (l *limiter) allow(now time.Time) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.tokens = min(callsAtOnce, l.tokens+callsPerSecond*now.Sub(l.last).Seconds())
	l.last = now
	if l.tokens < 1 {
		return false
	}
	l.tokens--
	return true
}

func (l *limiter) idleAt(now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return now.Sub(l.last)
}

// Limits has a limiter for each client that made a call within the last minute.
type limits struct {
	tm       *hashedwheel.Timer
	byClient *keyed.Map[string, *limiter]
}

func newLimits(tm *hashedwheel.Timer) *limits {
	left := func(_ string, l *limiter) time.Duration { return limiterIdle - l.idleAt(tm.Now()) }
	return &limits{tm, keyed.NewRenewing(tm, left, nil, keyed.WithName("limits"))}
}

func (ls *limits) allow(client string) bool {
	l, ok := ls.byClient.Get(client)
	if !ok {
		var err error
		if l, _, err = ls.byClient.GetOrSet(client, new(limiter), limiterIdle); err != nil {
			return false // the Timer is stopped or full
		}
	}
	return l.allow(ls.tm.Now())
}

// A limiter for each client, which goes a minute after its last use. A call only looks its limiter up, and moves no
// deadline; no sweep visits all limiters. A timer for each entry that every call moves costs more than a sweep, which
// is why sethvargo/go-limiter sweeps.
func Example_limiterForEachKey() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	ls := newLimits(tm)

	allowed := 0
	for range 30 {
		if ls.allow("ann") {
			allowed++
		}
	}
	fmt.Println(allowed, "of 30 calls at once")
	clock.Advance(50 * time.Second)
	ls.allow("ann") // keeps the limiter, which would have gone after ten more seconds
	clock.Advance(59 * time.Second)
	fmt.Println(ls.byClient)
	clock.Advance(time.Second)
	fmt.Println(ls.byClient)
	// Output:
	// 20 of 30 calls at once
	// keyed.Map(limits, 1 key)
	// keyed.Map(limits, 0 keys)
}
