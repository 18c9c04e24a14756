package promises

import (
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// On Linux a process that does nothing else is on time, by the descriptor that ends the runtime's wait: without it,
// Linux adds a thousandth of the wait to the first, and the runtime half a millisecond on average to the second. Other
// programs may keep the processors busy, so the best of a few rounds counts.
func TestPunctualInAnIdleProcess(t *testing.T) {
	if runtime.GOOS != "linux" || testing.Short() || timertest.Race {
		t.Skip("measures real time")
	}
	for name, c := range map[string]struct {
		n              int
		least, longest time.Duration
		late           time.Duration // the most at the median
	}{
		"one timeout of five seconds":    {1, 5 * time.Second, 5 * time.Second, time.Millisecond},
		"two hundred within two seconds": {200, 0, 2 * time.Second, 300 * time.Microsecond},
	} {
		t.Run(name, func(t *testing.T) {
			if !timertest.InOwnProcess(t) {
				return
			}
			tm := hashedwheel.MustNew()
			defer tm.StopAll()
			best := time.Hour
			for round := 0; round < 5 && best > c.late; round++ {
				delays := make([]time.Duration, c.n)
				for i := range delays {
					delays[i] = c.least + rand.N(c.longest-c.least+1)
				}
				late := timertest.Lateness(tm, delays)
				slices.Sort(late)
				t.Logf("late p50 %v, at most %v", late[c.n/2], late[c.n-1])
				best = min(best, late[c.n/2])
			}
			assert.LessOrEqual(t, best, c.late)
		})
	}
}
