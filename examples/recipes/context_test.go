package recipes_test

import (
	"context"
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A context stops a pending timeout. Call untie when the timeout has expired, so that the context lets go of it.
func Example_context() {
	tm := hashedwheel.MustNew()
	defer tm.Stop()
	ctx, cancel := context.WithCancel(context.Background())

	retry := tm.AfterFunc(time.Minute, func() { fmt.Println("trying again") })
	stopped := make(chan bool, 1)
	untie := context.AfterFunc(ctx, func() { stopped <- retry.Stop() })
	defer untie()

	cancel()
	fmt.Println("stopped:", <-stopped)
	// Output: stopped: true
}
