package loads

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var storms = Load{
	Name: "storm",
	What: "Goroutines that do nothing but arm a new timeout of 30 s and stop it: how many a second, how late a heartbeat of 5 ms on " +
		"the same timer is, counted at every point of its grid that a stall covers, and how much the heap grows. The heap grows " +
		"with the rate: compare it in the load steady.",
	Cases: func(c Config) (cases []Case) {
		for _, g := range c.Crowd {
			cases = append(cases, Case{
				Name: fmt.Sprintf("%d goroutines", g),
				Tick: stormTick,
				Run:  func(p peers.Peer, c Config) ([]Figure, error) { return storm(p, c, g) },
			})
		}
		return cases
	},
}

func storm(p peers.Peer, c Config, goroutines int) ([]Figure, error) {
	t := p.Open(stormTick)
	settle(stormTick, 0)
	arm := peers.ArmNever(t)
	peak, beats := watchHeap(), startBeats(t, 5*time.Millisecond)
	s := rate(c.Heap, goroutines, func(int) func(int) {
		return func(n int) {
			for range n {
				arm(deadline).Stop()
			}
		}
	})
	figures := []Figure{
		{Name: "calls", Unit: PerSecond, Value: 1e9 / s.wall},
		{Name: "peak heap", Unit: MiB, Value: peak()},
	}
	late := percentiles("heartbeat late ", Millis, beats.end())
	return append(figures, late[0], late[1], late[3]), lost(t, s.ops)
}

// heartbeat is a function that arms itself again for the points of a fixed grid.
// A beat that comes after a stall counts for every point that the stall covered.
type heartbeat struct {
	timer peers.Timer
	every time.Duration
	start time.Time

	mu   sync.Mutex
	next time.Duration // since start; guarded by mu
	over bool          // guarded by mu
	late []float64     // ms; guarded by mu
}

func startBeats(t peers.Timer, every time.Duration) *heartbeat {
	b := &heartbeat{timer: t, every: every, start: time.Now(), next: every}
	t.Arm(every, b.beat)
	return b
}

func (b *heartbeat) beat() {
	b.mu.Lock()
	b.count()
	over, next := b.over, b.start.Add(b.next)
	b.mu.Unlock()
	if !over {
		b.timer.Arm(time.Until(next), b.beat)
	}
}

// count takes in every point that has passed. The caller holds mu.
func (b *heartbeat) count() {
	now := time.Since(b.start)
	for ; b.next <= now && !b.over; b.next += b.every {
		b.late = append(b.late, float64(now-b.next)/1e6)
	}
}

// end returns how many ms late the points were; one that no beat has come for
// by now, by so much.
func (b *heartbeat) end() []float64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.count()
	b.over = true
	return b.late
}
