// Package faults contains the tests of the faults in docs/reliability.md: of executors, tasks and the machine.
package faults

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
