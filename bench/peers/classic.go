package peers

import (
	"time"

	"github.com/hashedwheel/hashedwheel/docs/wheels"
)

// classics returns the reference designs.
func classics() []Peer {
	return []Peer{
		classic("list", "unordered list", "visits everything that is pending at every tick", wheels.OpenList),
		classic("heap", "binary heap with one lock, as java.util.Timer", "costs more the more is pending", wheels.OpenHeap),
		classic("rounds", "one wheel with rounds, as Netty's", "visits everything that is pending at every turn; ticks when empty", wheels.OpenRounds),
		classic("hierarchy", "wheels above wheels, as Linux before 4.8", "ticks when empty", wheels.OpenHierarchy),
	}
}

func classic(name, what, cannot string, open func(tick time.Duration) *wheels.Timer) Peer {
	return Peer{
		Name: name, What: "reference: " + what + "; tasks on its one goroutine", Cannot: cannot, Owns: true,
		Open: func(tick time.Duration) Timer { return classicTimer{open(tick)} },
	}
}

type classicTimer struct{ *wheels.Timer }

func (t classicTimer) Arm(d time.Duration, f func()) Armed { return t.AfterFunc(d, f) }

func (t classicTimer) Own(f func()) Owned { return t.New(f) }
