// Package fuzz plays scripts of calls, made of random bytes or by the fuzzer, to a
// timer and to a plain model of it, and compares all that they answer.
package fuzz

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
