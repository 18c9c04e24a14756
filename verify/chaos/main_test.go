// Package chaos has timers lead short lives in which everything goes wrong at once: clocks that advance by up to 200
// days, panics and runtime.Goexit in tasks, executors and panic handlers, timeouts moved earlier and later, bounds that are hit, GOMAXPROCS from 1 to 64, and Stop or Shutdown at any moment. Some lives run dry before
// that. At the end of each life the books must balance: no arming lost, doubled or early, nothing leaked, nothing hung.
//
//	go test -tags small ./verify/chaos -chaos 10m -timeout 20m
package chaos

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
