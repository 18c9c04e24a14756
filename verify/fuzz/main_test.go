// Package fuzz plays scripts of calls, made of random bytes or by the fuzzer, to a timer and to a simple model of it,
// and compares all results.
package fuzz

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
