// Package promises has a test or more for every promise of the package documentation,
// in a file named after it. They see the library from outside, and run in virtual
// time but for the few whose subject is real time or a deadlock.
package promises

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
