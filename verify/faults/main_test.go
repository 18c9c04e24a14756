// Package faults has the tests of docs/faults.md: faults of clocks, executors, tasks and the
// machine.
package faults

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
