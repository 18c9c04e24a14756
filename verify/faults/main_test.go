// Package faults has what docs/faults.md says of things that go wrong around the
// timer: clocks, executors, tasks, the machine.
package faults

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
