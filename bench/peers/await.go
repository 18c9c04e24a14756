package peers

import (
	"context"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// An Await waits for an answer, or until d has passed; it reports which. Each
// goroutine has one of its own.
type Await func(answer <-chan struct{}, d time.Duration) (answered bool)

// awaitContext is the way of most clients.
func awaitContext(time.Duration) func() Await {
	return func() Await {
		return func(answer <-chan struct{}, d time.Duration) bool {
			ctx, cancel := context.WithTimeout(context.Background(), d)
			defer cancel()
			select {
			case <-answer:
				return true
			case <-ctx.Done():
				return false
			}
		}
	}
}

// awaitNew arms a new timeout for each call.
func awaitNew(open func(tick time.Duration) Timer) func(tick time.Duration) func() Await {
	return func(tick time.Duration) func() Await {
		t := open(tick)
		return func() Await {
			expired := make(chan struct{}, 1)
			f := func() { expired <- struct{}{} }
			return func(answer <-chan struct{}, d time.Duration) bool {
				to := t.Arm(d, f)
				select {
				case <-answer:
					to.Stop()
					return true
				case <-expired:
					return false
				}
			}
		}
	}
}

// awaiters are ways of this library that are for clients alone.
func awaiters() []Peer {
	client := []string{"client"}
	return []Peer{
		{Name: "hashedwheel-owned", What: "this library, a Timeout that each caller owns", Loads: client, Await: awaitOwned},
		{Name: "hashedwheel-after", What: "this library, After: a channel that those share who wait for the same tick", Loads: client, Await: awaitAfter},
	}
}

func awaitOwned(tick time.Duration) func() Await {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(tick))
	return func() Await {
		expired := make(chan struct{}, 1)
		own := new(hashedwheel.Timeout)
		own.Init(tm, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { expired <- struct{}{} }))
		return func(answer <-chan struct{}, d time.Duration) bool {
			own.Reset(d)
			select {
			case <-answer:
				own.Stop()
				return true
			case <-expired:
				return false
			}
		}
	}
}

func awaitAfter(tick time.Duration) func() Await {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(tick))
	return func() Await {
		return func(answer <-chan struct{}, d time.Duration) bool {
			select {
			case <-answer:
				return true
			case <-tm.After(d):
				return false
			}
		}
	}
}
