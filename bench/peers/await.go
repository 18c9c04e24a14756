package peers

import (
	"context"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// An Await waits for an answer, for d at most, and reports whether there was one. Each
// goroutine has its own.
type Await func(answer <-chan struct{}, d time.Duration) (answered bool)

// awaitContext makes a context for each call, like most clients.
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

// awaiters are peers for clients alone.
func awaiters() []Peer {
	client := []string{"client"}
	return []Peer{
		{Name: "hashedwheel-owned", What: "this library, a Timeout owned by each caller", Loads: client, Await: awaitOwned},
		{Name: "hashedwheel-after", What: "this library, After: a channel shared by all that wait for the same tick", Loads: client, Await: awaitAfter},
	}
}

func awaitOwned(tick time.Duration) func() Await {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(tick))
	return func() Await {
		expired := make(chan struct{}, 1)
		own := new(hashedwheel.Timeout)
		own.InitFunc(tm, func() { expired <- struct{}{} })
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
