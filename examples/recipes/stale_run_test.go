package recipes_test

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A claim is freed unless its holder renews it in time.
type claim struct {
	mu    sync.Mutex // held to renew and to free, so that the two do not overlap
	freed bool
	ends  hashedwheel.Timeout
}

func (c *claim) renew(d time.Duration) (ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.freed {
		c.ends.Reset(d)
	}
	return !c.freed
}

// Run frees the claim. If the claim was renewed after the Timer dispatched this run, the run is stale, and the Timeout
// is Pending again.
func (c *claim) Run(ends *hashedwheel.Timeout) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if ends.State() == hashedwheel.Pending {
		fmt.Println("renewed in time")
		return
	}
	if !c.freed { // the run of a later arming may have begun first
		c.freed = true
		fmt.Println("freed")
	}
}

// A run that waited for a pool or a lock detects that it is stale.
func Example_staleRun() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	var waiting []func()
	pool := hashedwheel.ExecutorFunc(func(f func()) { waiting = append(waiting, f) })
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(pool))
	defer tm.StopAll()

	c := &claim{}
	c.ends.Init(tm, c).Reset(time.Second)
	clock.Advance(time.Second) // the run waits in the pool
	fmt.Println("renewed:", c.renew(time.Second))
	waiting[0]()
	clock.Advance(time.Second)
	waiting[1]()
	fmt.Println("renewed:", c.renew(time.Second))
	// Output:
	// renewed: true
	// renewed in time
	// freed
	// renewed: false
}
