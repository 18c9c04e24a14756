// Package promises has one or more tests for every promise of the package documentation, in a file
// named after it. They see the library from outside, and run in virtual time, except the few whose
// subject is real time or a deadlock.
package promises

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
