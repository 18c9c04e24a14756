// Package stress has real goroutines and the real clock. Its time limits are lower bounds only: a
// loaded machine may be late, but the timer must never be early.
package stress

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
