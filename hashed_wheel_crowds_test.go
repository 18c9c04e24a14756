package hashedwheel

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
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

func TestSampleFindsWhatWaitsInTheBatch(t *testing.T) {
	g, tm := newGuarded()
	waiting := tm.AfterFunc(0, func() {})
	later := tm.AfterFunc(time.Hour, func() {})
	g.drain(portion)
	require.True(t, g.take(1))
	require.Equal(t, home(inBatch), waiting.home)
	assert.ElementsMatch(t, []*Timeout{waiting, later}, tm.Sample(2))
	assert.Equal(t, []*Timeout{waiting}, tm.Sample(1))
	waiting.claim(math.MaxInt64)
	assert.Equal(t, []*Timeout{later}, tm.Sample(2))
}

// walkBeside walks through all that is filed, and calls meanwhile between portions.
func walkBeside(g *guarded, meanwhile func()) *sample {
	s := &sample{want: math.MaxInt}
	s.begin(g)
	for s.walk(&g.wheel) {
		meanwhile()
		g.wheel.checkAll()
	}
	return s
}

func TestAWalkGoesOnThoughWhatItWasAtIsRemoved(t *testing.T) {
	g, _ := newGuarded()
	all := g.fileMoved(many, 50, 50)
	gone := map[*Timeout]bool{}
	s := walkBeside(g, func() {
		for range 100 {
			if to := g.wheel.cursor; to != nil {
				g.wheel.remove(to)
				gone[to] = true
			}
		}
	})
	require.NotEmpty(t, gone)
	for _, to := range all {
		require.NotEqual(t, gone[to], s.seen[to])
	}
}

// What the worker files closer meanwhile is met where it comes to.
func TestAWalkFindsWhatIsFiledCloserMeanwhile(t *testing.T) {
	g, _ := newGuarded()
	near := g.fileMoved(many, 3001, 3001)
	all := append(near, g.fileMoved(many, 3000, 3000)...)
	s := walkBeside(g, func() { g.wheel.advance(2999, portion) })
	require.NotEqual(t, 1, near[0].home.level(), "nothing was filed closer")
	for _, to := range all {
		require.True(t, s.seen[to])
	}
	assert.Len(t, s.seen, len(s.found), "one was found twice")
}

func TestAWalkFindsOnceWhatIsFiledFartherMeanwhile(t *testing.T) {
	g, _ := newGuarded()
	all := g.fileMoved(2*crowd, 50, far)
	tick := int64(0)
	s := walkBeside(g, func() {
		for tick = g.wheel.wake(); g.wheel.thin(); {
		}
		g.wheel.skip(tick)
	})
	assert.LessOrEqual(t, len(s.found), len(all))
	assert.Len(t, s.seen, len(s.found), "one was found twice")
}

func TestAWalkLooksAtNoMoreThanAPortion(t *testing.T) {
	for says, tick := range map[string]int64{"in a bucket": 50, "in a slot": 3000} {
		t.Run(says, func(t *testing.T) {
			g, _ := newGuarded()
			g.fileMoved(many, tick, tick)
			s := &sample{want: many}
			s.begin(g)
			for before := 0; s.walk(&g.wheel); before = len(s.found) {
				require.LessOrEqual(t, len(s.found)-before, portion)
			}
			assert.Len(t, s.found, many)
		})
	}
}
