package hashedwheel

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rabble is a trial with crowds, which are thinned and walked through, portion by
// portion, between everything else.
type rabble struct {
	*trial
	walk  *sample // the one under way
	homes map[*Timeout]home
}

// armCrowd arms a crowd, due within a few ticks or a few thousand.
func (r *rabble) armCrowd() {
	first, ticks := r.tickOf(r.deadline()), int64(1)<<r.rnd.IntN(12)
	for range crowd + r.rnd.IntN(crowd) {
		deadline := clamp((first + r.rnd.Int64N(ticks)) * r.tick)
		r.pending = append(r.pending, entry{r.arm(deadline)[0], max(r.tickOf(deadline), r.opening), false})
	}
	r.sort()
}

func (r *rabble) moveMany() {
	for range min(len(r.pending), r.rnd.IntN(crowd)) {
		e := &r.pending[r.rnd.IntN(len(r.pending))]
		deadline := clamp(e.to.load().deadline() + r.span())
		setWord(e.to, deadline, 0, Pending)
		e.due, e.moved = max(r.tickOf(deadline), e.due), true
	}
	r.sort()
}

func (r *rabble) sort() {
	slices.SortFunc(r.pending, func(a, b entry) int { return cmp.Compare(a.due, b.due) })
}

// begin begins a walk and notes what is there to be found.
func (r *rabble) begin() {
	want := []int{1, 100, math.MaxInt}[r.rnd.IntN(3)]
	r.walk = &sample{want: want, seen: map[*Timeout]bool{}, all: int64(max(1, r.count)), wanted: int64(min(max(1, r.count), want)), level: len(r.levels) - 1}
	r.cursor = nil
	r.homes = map[*Timeout]home{}
	for _, e := range r.pending {
		r.homes[e.to] = e.to.home
	}
}

// goOn walks on. At the end it has found all that has not been removed meanwhile.
func (r *rabble) goOn() {
	before := len(r.walk.found)
	more := r.walk.walk(&r.hashedWheel)
	require.LessOrEqual(r.t, len(r.walk.found)-before, portion)
	if more {
		return
	}
	require.LessOrEqual(r.t, len(r.walk.found), r.walk.want)
	require.Len(r.t, r.walk.seen, len(r.walk.found), "one was found twice")
	if r.walk.want == math.MaxInt {
		for to, home := range r.homes {
			stayed := to.home != unfiled && to.home.tick() == home.tick() && to.State() == Pending
			require.True(r.t, r.walk.seen[to] || !stayed, "one filed under %d all the time was not found", home.tick())
		}
	}
	r.walk = nil
}

func (r *rabble) step() {
	switch op := r.rnd.IntN(100); {
	case op < 5 && len(r.pending) < 3*crowd:
		r.armCrowd()
	case op < 10:
		r.moveMany()
	case op < 50:
		r.thin()
	case op < 80 && r.walk == nil:
		r.begin()
	case op < 80:
		r.goOn()
	case op < 82:
		r.walk = nil // drain, a rewind and popAny file or take what it has passed
		r.drain()
		r.turnBack(max(r.current-1-r.span()/r.tick, minDeadline/r.tick+1))
	default:
		queue, current := len(r.queue), r.current
		r.trial.step(true)
		if len(r.queue) < queue || r.current < current || r.count == 0 {
			r.walk = nil // as above
		}
	}
}

func TestTheWheelAgreesWithASortedSliceInCrowds(t *testing.T) {
	for _, tick := range []time.Duration{1, time.Millisecond} {
		for _, size := range []int{1, 2, 8, 512} {
			t.Run(fmt.Sprintf("tick=%v/size=%d", tick, size), func(t *testing.T) {
				rnd := rand.New(rand.NewPCG(uint64(tick), uint64(size)))
				r := rabble{trial: &trial{driver: newDriverOf(tick, size), t: t, rnd: rnd}}
				for range 200 {
					r.step()
					r.compare(true)
				}
			})
		}
	}
}
