// Package promises contains the tests of each promise of the package documentation, from outside: in virtual time,
// except the few whose subject is real time or a deadlock. A promise has one file, or a few:
//
//	 1 never early               tick, delay
//	 2 at most one tick late     tick, far, alarm, crowds
//	 3 one outcome per arming    outcome
//	 4 nothing is lost at Stop   stop, and verify/fuzz
//	 5 user code without a lock  usercode, shutdown
//	 6 quiet                     quiet, alarm
//	 7 any delay costs the same  delay
//	 8 small and garbage-free    memory, garbage
//	 9 bounded work              bounded, handicap
//	10 misuse is caught          misuse, misuse_call
//	11 lateness is reported      reported, and verify/fuzz
//
// The other files, api, sample and bubble, test the API behind the promises. Random calls have an oracle in
// verify/fuzz: what its model checks at each step is not repeated here.
package promises

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }
