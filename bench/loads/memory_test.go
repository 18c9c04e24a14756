package loads

import (
	"testing"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// What is stopped in the middle of very many others is garbage, while they wait.
func TestStoppedTimeoutsHoldNothing(t *testing.T) {
	t.Parallel()
	ours, _ := peers.Choose("hashedwheel")
	figures, err := stays(ours[0], Config{Stays: 4500, StaysOf: 20_000})
	if err != nil || figures[0].Value > 0.2 { // of 4.4 MiB
		t.Error(figures, err)
	}
}
