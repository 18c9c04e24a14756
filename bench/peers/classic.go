package peers

import (
	"time"

	"github.com/hashedwheel/hashedwheel/bench/classic"
)

// classics returns the reference designs.
func classics() []Peer {
	const inline = "; tasks on its one goroutine"
	return []Peer{
		{
			Name:   "list",
			What:   "reference: unordered list" + inline,
			Cannot: "looks at everything that is pending at every tick",
			Owns:   true,
			Open:   func(tick time.Duration) Timer { return classicTimer{classic.OpenList(tick)} },
		},
		{
			Name:   "heap",
			What:   "reference: binary heap with one lock, as java.util.Timer" + inline,
			Cannot: "costs more the more is pending",
			Owns:   true,
			Open:   func(tick time.Duration) Timer { return classicTimer{classic.OpenHeap(tick)} },
		},
		{
			Name:   "rounds",
			What:   "reference: one wheel with rounds, as Netty's" + inline,
			Cannot: "looks at everything that is pending at every turn; ticks when empty",
			Owns:   true,
			Open:   func(tick time.Duration) Timer { return classicTimer{classic.OpenRounds(tick)} },
		},
		{
			Name:   "hierarchy",
			What:   "reference: wheels above wheels, as Linux before 4.8" + inline,
			Cannot: "ticks when empty",
			Owns:   true,
			Open:   func(tick time.Duration) Timer { return classicTimer{classic.OpenHierarchy(tick)} },
		},
	}
}

type classicTimer struct{ *classic.Timer }

func (t classicTimer) Arm(d time.Duration, f func()) Armed { return t.AfterFunc(d, f) }

func (t classicTimer) Own(f func()) Owned { return t.New(f) }
