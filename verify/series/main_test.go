// Package series_test checks the promises of Every, EveryFrom and Recur from outside: when series run, and how they
// end.
package series_test

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
