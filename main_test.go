package hashedwheel_test

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }

// The function that Timer.Stats' Example has one copy.
func TestLaterThanCountsTheBucketsThatBeginLater(t *testing.T) {
	s := hashedwheel.Stats{Lateness: []hashedwheel.LatenessBucket{
		{UpTo: 12800 * time.Microsecond, Count: 8},
		{UpTo: 25600 * time.Microsecond, Count: 4}, // perhaps 15 ms late
		{UpTo: 51200 * time.Microsecond, Count: 1},
		{UpTo: math.MaxInt64, Count: 2},
	}}
	assert.EqualValues(t, 3, laterThan(20*time.Millisecond, s))
	assert.EqualValues(t, 7, laterThan(12800*time.Microsecond, s))
}
