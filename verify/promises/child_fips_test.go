package promises

import (
	"crypto/fips140"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// The goroutine that arms first may be exempt from FIPS mode; the worker and the tasks are not.
func TestWorkerInheritsNoFIPSMode(t *testing.T) {
	if !timertest.InOwnProcess(t, "GODEBUG=fips140=only") {
		return
	}
	require.True(t, fips140.Enforced())
	for name, opts := range timertest.EachExecutor {
		tm := timertest.New(opts...)
		defer tm.Stop()
		enforced := make(chan bool, 1)
		arm := func() *hashedwheel.Timeout {
			return tm.AfterFunc(timertest.Tick, func() { enforced <- fips140.Enforced() })
		}
		for range 2 {
			fips140.WithoutEnforcement(func() {
				require.False(t, fips140.Enforced())
				arm()
			})
			assert.True(t, <-enforced, "in a task, %s", name)
			time.Sleep(20 * timertest.Tick)
		}
	}
}
