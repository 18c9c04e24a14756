// Package stress has real goroutines and the real clock. What is timed here is timed
// from below only: a loaded machine may be late, but the timer must never be early.
package stress

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
