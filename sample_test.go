package hashedwheel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// crowdTrial is a trial with crowds. Between all other steps it thins them and samples the wheel, a portion at a time.
type crowdTrial struct {
	*trial
	walk  *sample               // the current walk, or nil
	filed map[*Timeout][2]int64 // where each timeout was filed when the walk began
}

// armCrowd arms a crowd whose deadlines lie within 1 to 2048 ticks.
func (r *crowdTrial) armCrowd() {
	first, ticks := r.randomDeadline(), int64(1)<<r.rnd.IntN(12)
	for range crowd + r.rnd.IntN(crowd) {
		r.armOne(clamp(first + r.tickLen*r.rnd.Int64N(ticks)))
	}
	r.drain(false)
}

func (r *crowdTrial) beginWalk() {
	want := []int{1, 100, math.MaxInt}[r.rnd.IntN(3)]
	r.walk = newSample(nil, want, r.count)
	r.walk.level = len(r.levels) - 1
	r.filed = map[*Timeout][2]int64{}
	for _, e := range r.entries {
		if e.to.home != unfiled {
			r.filed[e.to] = r.filedAt(e.to)
		}
	}
}

// continueWalk visits a portion. By its end, a walk for all timeouts must have found each timeout that stayed in place.
func (r *crowdTrial) continueWalk() {
	before := len(r.walk.picked)
	more := r.walk.walk(r.hashedWheel)
	require.LessOrEqual(r.t, len(r.walk.picked)-before, portion)
	if more {
		return
	}
	require.LessOrEqual(r.t, len(r.walk.picked), r.walk.want)
	if r.walk.want == math.MaxInt {
		for to, at := range r.filed {
			stayed := to.home != unfiled && r.filedAt(to) == at && to.State() == Pending
			if _, isPicked := r.walk.picked[to]; stayed && !isPicked {
				require.Fail(r.t, "not found", "a timeout that stayed in %v", at)
			}
		}
	}
	r.walk = nil
}

func (r *crowdTrial) step() {
	for _, e := range r.queue { // a drain may file it behind the walk, in its old slot
		delete(r.filed, e.to)
	}
	switch op := r.rnd.IntN(100); {
	case op < 5 && len(r.entries) < 3*crowd:
		r.armCrowd()
	case op < 10 && len(r.entries) > 0:
		for range r.rnd.IntN(crowd) {
			r.moveLater()
		}
	case op < 50:
		r.thin()
	case op < 80 && r.walk == nil:
		r.beginWalk()
	case op < 80:
		r.continueWalk()
	default:
		queue := len(r.queue)
		r.trial.step(true)
		if len(r.queue) < queue || r.count == 0 {
			r.walk = nil // the step filed timeouts where the walk has already been, or popped everything
		}
	}
}

func TestWheelAgreesWithASliceInCrowds(t *testing.T) {
	steps := 200
	if testing.Short() && crowd > 1000 {
		steps = 50 // an emulated processor takes minutes for 200
	}
	for _, tick := range []time.Duration{1, time.Millisecond} {
		for _, size := range []int{1, 2, 8, 512} {
			t.Run(fmt.Sprintf("tick=%v/size=%d", tick, size), func(t *testing.T) {
				t.Parallel()
				rnd := rand.New(rand.NewPCG(uint64(tick), uint64(size)))
				r := crowdTrial{trial: &trial{hashedWheel: newWheel(tick, size, few), t: t, rnd: rnd}}
				for range steps {
					r.step()
					r.compare(true)
				}
			})
		}
	}
}

// beginWalk returns a walk through all filed timeouts.
func beginWalk(g *guarded, want int) *sample {
	s := newSample(g.owner, want, g.wheel.count)
	s.level = len(g.wheel.levels) - 1
	return s
}

// A portion is visited under the lock, where an allocation would prolong the hold.
func TestSampleWalkAllocatesNothing(t *testing.T) {
	g, _ := newGuarded()
	g.fileMoved(many, 50*ms, 50*ms)
	samples := make([]*sample, 11)
	for i := range samples {
		samples[i] = beginWalk(g, many)
	}
	runs := 0
	assert.Zero(t, testing.AllocsPerRun(10, func() {
		samples[runs].walk(&g.wheel)
		runs++
	}))
	assert.Len(t, samples[0].picked, portion)
}
