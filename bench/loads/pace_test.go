package loads

import (
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// A loop that waits until the end of a stall would count the stall once.
func TestStallCountsForEachDelayedArming(t *testing.T) {
	const stall, every = 30 * time.Millisecond, 100 * time.Microsecond
	calls := 0
	took := armEvery(func(time.Duration) peers.Armed {
		if calls++; calls == 10 {
			time.Sleep(stall)
		}
		return idleness{}
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

func TestSlowPeerIsMarked(t *testing.T) {
	if mark := behind(2*time.Second, time.Second, 10_000); mark != "bears 5,000 a second" {
		t.Error(mark)
	}
	if mark := behind(time.Second, time.Second, 10_000); mark != "" {
		t.Error(mark)
	}
}

func TestPacedCallsKeepRatesBelowAThousand(t *testing.T) {
	calls := newPacedCalls(idleness{}, 250)
	for ms := range 2000 {
		calls.step(ms)
	}
	if calls.armed != 500 || calls.want != 5 {
		t.Errorf("%d armed in two seconds, %d of them to expire", calls.armed, calls.want)
	}
}

func TestMineMeasuresOursAndTheLoadAlone(t *testing.T) {
	ours, _ := peers.Choose("hashedwheel")
	m := Mine{Pending: 100, Moves: 1000, Arms: 1000, Expire: 0.1, Tick: ms, For: 100 * ms}
	for peer, want := range map[*peers.Peer]int{&ours[0]: 5, &Nothing: 2} {
		figures, err := m.Run(*peer)
		if err != nil || len(figures) != want {
			t.Errorf("%s: %+v, %v", peer.Name, figures, err)
		}
	}
}
