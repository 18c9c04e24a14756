package wheels

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestEachDesignFiresWhatIsDue arms, moves and stops at random, and compares with a plain map. One design is late by
// design, by no more than an eighth.
func TestEachDesignFiresWhatIsDue(t *testing.T) {
	for name, s := range map[string]structure{
		"list": newUnordered(), "ordered list": newOrdered(), "heap": new(binaryHeap),
		"one turn": newOneTurn(10), "rounds": newRounds(3),
		"hierarchy": newHierarchy(3, 3), "lazy levels": newLazyLevels(3), "without moves": newWithoutMoves(),
	} {
		t.Run(name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(1, 2))
			armed, at := map[*timeout]int64{}, map[*timeout]int64{} // due, armed at
			now := int64(0)
			for range 5000 {
				to := new(timeout)
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
				s.expire(before, now, func(to *timeout) {
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

// A play is the example of docs/timing-wheels.md: six timeouts are armed at tick 2. At tick 20 the one due at 500 is
// stopped, and the one due at 70 is moved to 600. All of it is over by tick 1100.
type play struct {
	structure
	current int64
	pending int
	wakes   int
	late    []string
}

func (p *play) run() {
	p.until(2)
	all := map[int64]*timeout{}
	for _, tick := range []int64{500, 12, 1000, 5, 516, 70} {
		all[tick] = &timeout{tick: tick}
		p.place(all[tick])
		p.pending++
	}
	p.until(20)
	p.remove(all[500])
	p.pending--
	p.remove(all[70])
	all[70].tick = 600
	p.place(all[70])
	p.until(1100)
}

// until lets time pass, up to a tick.
func (p *play) until(last int64) {
	for p.current < last {
		next := p.next(p.current)
		if next <= last && p.pending > 0 { // nobody wakes for nothing
			p.wakes++
		}
		now := min(last, next)
		p.expire(p.current, now, func(to *timeout) {
			p.pending--
			if now > to.tick {
				p.late = append(p.late, fmt.Sprintf("%d by %d", to.tick, now-to.tick))
			}
		})
		p.current = now
	}
}

// TestDocumentHasTheVisits counts what each design does, with wheels as small as they are drawn.
func TestDocumentHasTheVisits(t *testing.T) {
	text, err := os.ReadFile("../timing-wheels.md")
	if err != nil {
		t.Fatal(err)
	}
	for title, s := range map[string]structure{
		"an unordered list":               newUnordered(),
		"an ordered list":                 newOrdered(),
		"a binary heap":                   new(binaryHeap),
		"a wheel of one turn, 1024 slots": newOneTurn(10),
		"a hashed wheel of 8 slots that counts rounds (r)":              newRounds(3),
		"a hierarchy of wheels, fixed levels":                           newHierarchy(3, 3),
		"a hierarchy with levels made when needed, and a heap of slots": newLazyLevels(3),
		"a hierarchy that moves nothing":                                newWithoutMoves(),
	} {
		p := play{structure: s}
		p.run()
		if p.pending != 0 {
			t.Errorf("%s: %d timeouts are pending", title, p.pending)
		}
		late := "none"
		if p.late != nil {
			late = strings.Join(p.late, ", ")
		}
		row := fmt.Sprintf("| %s | %d | %d | %s |\n", title, p.visited(), p.wakes, late)
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/timing-wheels.md lacks %s", row)
		}
	}
}
