package loads

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// Timeouts that are stopped among many others are garbage while the others are pending.
func TestStoppedTimeoutsHoldNothing(t *testing.T) {
	t.Parallel()
	ours, _ := peers.Choose("hashedwheel")
	figures, err := stays(ours[0], Config{Scale: 0.1})
	if err != nil || figures[0].Value > 0.2 { // of 4.4 MiB
		t.Error(figures, err)
	}
}
