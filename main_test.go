package hashedwheel_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMain(m *testing.M) { timertest.VerifyMain(m) }

// The function that Timer.Stats' Example has one copy.
func TestLaterThanCountsTheEntriesThatBeginLater(t *testing.T) {
	var s hashedwheel.Stats
	s.LagCounts[8] = 4 // up to 25.6 ms late: perhaps 15
	s.LagCounts[9] = 1
	s.LagCounts[19] = 2
	assert.EqualValues(t, 3, laterThan(20*time.Millisecond, s))
	assert.EqualValues(t, 7, laterThan(12800*time.Microsecond, s))
}
