package loads

import (
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

type nothing struct{}

func (nothing) Stop() bool { return true }

// A loop that waits out a stall would count it once.
func TestStallCountsForAllThatItKeptWaiting(t *testing.T) {
	const stall, every = 30 * time.Millisecond, 100 * time.Microsecond
	calls := 0
	took := armEvery(func(time.Duration) peers.Armed {
		if calls++; calls == 10 {
			time.Sleep(stall)
		}
		return nothing{}
	}, every, 2*stall)
	waited := 0
	for _, us := range took {
		if us > 1000 {
			waited++
		}
	}
	if len(took) != int(2*stall/every) || waited < int(stall/every)*9/10 {
		t.Errorf("%d of %d armings waited", waited, len(took))
	}
}

func TestHeartbeatCountsEveryPointOfAStall(t *testing.T) {
	const every = 10 * time.Millisecond
	b := &heartbeat{every: every, start: time.Now().Add(-105 * time.Millisecond), next: every}
	late := b.end()
	if len(late) < 10 || late[0] < 90 || late[9] > late[0]-80 {
		t.Error(late)
	}
}

func TestPeerThatIsTooSlowForARateIsMarked(t *testing.T) {
	if mark := behind(2*time.Second, time.Second, 10_000); mark != "bears 5,000 a second" {
		t.Error(mark)
	}
	if mark := behind(time.Second, time.Second, 10_000); mark != "" {
		t.Error(mark)
	}
}
