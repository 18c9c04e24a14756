package recipes_test

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A call owns its deadline, and is its task, so that no closure is needed. The task only wakes the caller.
type call struct {
	deadline hashedwheel.Timeout
	once     sync.Once
	done     chan struct{}
	err      error
}

// newCall arms at once. If answers find the call in a table, only Init it here, and Arm it once it is in the table,
// under the table's lock: otherwise its deadline can pass before it can be found, or an answer can stop it before Arm
// does.
func newCall(tm *hashedwheel.Timer, d time.Duration) (*call, error) {
	c := &call{done: make(chan struct{})}
	if err := c.deadline.Init(tm, c).Arm(d); err != nil {
		return nil, err // full or stopped: nothing would end the call
	}
	return c, nil
}

func (c *call) Run(*hashedwheel.Timeout) { c.finish(context.DeadlineExceeded) }

// finish is called for the answer also. The first call decides.
func (c *call) finish(err error) {
	c.deadline.Stop()
	c.once.Do(func() {
		c.err = err
		close(c.done)
	})
}

// An RPC client has a deadline for every call, at no allocation besides the call's own.
func Example_call() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}),
		hashedwheel.WithMaxPending(2))
	defer tm.Stop()

	answered, _ := newCall(tm, time.Second)
	silent, _ := newCall(tm, time.Second)
	_, err := newCall(tm, time.Second)
	fmt.Println("a third:", err)
	answered.finish(nil)
	clock.Advance(time.Second)
	for _, c := range []*call{answered, silent} {
		<-c.done
		fmt.Println(c.err)
	}
	// Output:
	// a third: hashedwheel: too many pending timeouts
	// <nil>
	// context deadline exceeded
}
