// Package fuzz plays scripts of calls, made of random bytes or by the fuzzer, to a
// timer and to a plain model of it, and compares all that they answer.
package fuzz

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
