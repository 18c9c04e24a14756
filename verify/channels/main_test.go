// Package channels_test checks the promises of After from outside: when its channels are closed, by whom, and at Stop.
package channels_test

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
