package wheels

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestEachDesignFiresWhatIsDue arms, moves and stops at random, and compares with a
// plain map. One design is late by design, by no more than an eighth.
func TestEachDesignFiresWhatIsDue(t *testing.T) {
	for name, s := range map[string]structure{
		"list": newUnordered(), "ordered list": newOrdered(), "heap": new(binaryHeap),
		"one turn": newOneTurn(10), "rounds": newRounds(3), "sorted rounds": newSortedRounds(3),
		"hierarchy": newHierarchy(3, 3), "lazy levels": newLazyLevels(3), "without moves": newWithoutMoves(),
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			armed, at := map[*Timeout]int64{}, map[*Timeout]int64{} // due, armed at
			now := int64(0)
			for range 5000 {
				to := new(Timeout)
				for old := range armed {
					if random.IntN(2) == 0 {
						s.remove(old)
						delete(armed, old)
						to = old
					}
					break
				}
				to.tick = now + 1 + random.Int64N(1000)
				armed[to], at[to] = to.tick, now
				s.place(to)
				before := now
				now += random.Int64N(4)
				s.expire(before, now, func(to *Timeout) {
					due, known := armed[to]
					if !known || due > now {
						t.Fatalf("fired at %d, due at %d, known: %v", now, due, known)
					}
					delete(armed, to)
				})
				for to, due := range armed {
					slack := int64(0)
					if name == "without moves" {
						slack = 1 + (due-at[to])*8/63
					}
					if due+slack <= now {
						t.Fatalf("not fired at %d, due at %d, armed at %d", now, due, at[to])
					}
				}
			}
		})
	}
}

// TestThePlayFiresEachOnce holds every design to the example's end.
func TestThePlayFiresEachOnce(t *testing.T) {
	for name, play := range Designs() {
		late := map[int64]int64{}
		for _, f := range play().Fired {
			late[f.Due] += f.At - f.Due
		}
		want := map[int64]int64{5: 0, 12: 0, 516: 0, 600: 0, 1000: 0}
		if name == "without-moves" {
			want = map[int64]int64{5: 0, 12: 0, 516: 60, 600: 40, 1000: 24}
		}
		if fmt.Sprint(late) != fmt.Sprint(want) {
			t.Errorf("%s: late by %v, want %v", name, late, want)
		}
	}
}
