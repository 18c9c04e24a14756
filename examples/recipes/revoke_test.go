package recipes_test

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A store allows a thousand revocations a second, and a hundred thousand leases may end in the same second. This
// Executor runs one task for each beat of a ticker. The lease of a task that waits for its beat is still Pending, so
// its holder can renew it.
//
// Use a separate Timer for these leases: the Executor blocks the worker, which delays all other tasks. Do not alert on
// Stats().Overdue of this Timer, since leases are overdue by design. Stop the ticker after Timer.Shutdown,
// which waits for the Executor.
func Example_pacedRevocations() {
	beat := time.NewTicker(time.Millisecond)
	defer beat.Stop()
	paced := hashedwheel.ExecutorFunc(func(f func()) {
		<-beat.C
		f()
	})
	tm := hashedwheel.MustNew(hashedwheel.WithExecutor(paced))
	defer tm.StopAll()

	leases := make([]hashedwheel.Timeout, 50)
	revoked, done := 0, make(chan struct{})
	for i := range leases {
		leases[i].InitFunc(tm, func() {
			if revoked++; revoked == len(leases)-1 {
				close(done)
			}
			if revoked == 10 {
				fmt.Println("renewed while it waits:", renewOne(leases))
				fmt.Println("overdue:", tm.Stats().Overdue > 2*tm.Tick())
			}
		}).Reset(10 * time.Millisecond)
	}
	<-done
	fmt.Println(tm.Pending(), "is left")
	// Output:
	// renewed while it waits: true
	// overdue: true
	// 1 is left
}

func renewOne(leases []hashedwheel.Timeout) bool {
	for i := range leases {
		if leases[i].Move(time.Hour) {
			return true
		}
	}
	return false
}
