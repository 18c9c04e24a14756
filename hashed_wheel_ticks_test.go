package hashedwheel

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// expiryCase arms timeouts for some ticks on a wheel at tick current.
type expiryCase struct {
	name    string
	current int64
	ticks   []int64
	want    []int64 // the ticks at which the timeouts must expire; nil: the same ticks
}

// expiryCases returns the cases that other timing wheels got wrong, for a wheel of n buckets.
func expiryCases(n int64) []expiryCase {
	const c = 1000 // an ordinary current tick
	all := []expiryCase{
		{"a tick in the past is due at the current tick, not a turn later", c,
			[]int64{c - 1, max(0, c-n), 1, 0}, []int64{c, c, c, c}},
		{"the current tick", c, []int64{c}, nil},
		{"the next tick", c, []int64{c + 1}, nil},

		{"a delay of exactly a turn", c, []int64{c + n}, nil},
		{"a tick that is a multiple of the turn", c, []int64{(c/n + 1) * n, (c/n + 2) * n}, nil},
		{"delays of a whole number of turns, and one tick off", c,
			[]int64{c + 2*n - 1, c + 2*n, c + 2*n + 1, c + 3*n}, nil},
		{"a delay on both sides of the turn", c, []int64{c + n - 1, c + n}, nil},
		{"the current tick begins a turn", 4 * n, []int64{4 * n, 5*n - 1, 5 * n, 6 * n}, nil},
		{"the current tick ends a turn", 4*n - 1, []int64{4*n - 1, 4 * n, 5*n - 2, 5*n - 1, 5 * n}, nil},

		{"longer than the wheel by several turns", c, []int64{c + 10*n + 3}, nil},
		{"longer than the first ring", c, []int64{c + 100*n + 7}, nil},
		{"several times the longest delay that two rings reach", c, []int64{c + 3*4096*n + 1}, nil},
		{"a far timeout among near ones, armed in any order", c, []int64{c + 1, 1 << 50, c + 2, c + n + 1}, nil},
		{"near timeouts armed after far ones", c, []int64{1 << 50, c + 64*n, c + n, c + 1}, nil},
		{"the bucket of the current tick belongs to this turn, not to the next", c, []int64{c, c + n, c + 2*n}, nil},
		{"several in one bucket", c, []int64{c + 1, c + 1, c + 1}, nil},
		{"several in one slot of a ring, in no order", c, []int64{c + 65*n + 1, c + 65*n, c + 66*n - 1, c + 65*n}, nil},

		{"the last tick that a clock can reach", maxDeadline - 3, []int64{maxDeadline - 1, maxDeadline - 2}, nil},
		{"the last tick, from the first", 1, []int64{maxDeadline - 1}, nil},
	}
	for k := range 6 { // the slots of ring k are of half a turn << 5k ticks
		slot := max(1, n/2) << (5 * k)
		all = append(all,
			expiryCase{fmt.Sprintf("1 slot of ring %d ahead, to the tick", k), c,
				[]int64{c + slot - 1, c + slot, c + slot + 1}, nil},
			expiryCase{fmt.Sprintf("63 slots of ring %d ahead, the last it reaches", k), c,
				[]int64{(c/slot+63)*slot - 1, (c/slot + 63) * slot, (c/slot+64)*slot - 1}, nil},
			expiryCase{fmt.Sprintf("64 slots of ring %d ahead, so in the next ring", k), c,
				[]int64{(c/slot + 64) * slot, c + 64*slot}, nil},
			expiryCase{fmt.Sprintf("from the first tick of a slot of ring %d", k), 5 * slot,
				[]int64{6*slot - 1, 6 * slot, 68 * slot, 69*slot - 1, 69 * slot}, nil},
			expiryCase{fmt.Sprintf("from the last tick of a slot of ring %d", k), 5*slot - 1,
				[]int64{5 * slot, 6*slot - 1, 67*slot + 1, 68*slot - 1, 68 * slot}, nil},
		)
	}
	return all
}

// waysToAdvance are the ways in which the clock can move on.
var waysToAdvance = map[string]func(t *testing.T, d *driver, to int64) map[*Timeout]int64{
	"in one leap": func(_ *testing.T, d *driver, to int64) map[*Timeout]int64 { return d.take(to) },

	"tick by tick": func(t *testing.T, d *driver, to int64) map[*Timeout]int64 {
		got := map[*Timeout]int64{}
		if to-d.current > 1<<11 { // too many: only the last 1024 tick by tick
			got = d.take(to - 1<<10)
		}
		for d.current <= to {
			merge(t, got, d.take(d.current))
		}
		return got
	},

	"from next to next": func(t *testing.T, d *driver, to int64) map[*Timeout]int64 {
		got := map[*Timeout]int64{}
		for next := d.next(); next <= to; next = d.next() {
			some := d.take(next)
			require.NotEmpty(t, some, "next is %d", next)
			merge(t, got, some)
		}
		return got
	},
}

func merge(t *testing.T, got, more map[*Timeout]int64) {
	for to, tick := range more {
		_, before := got[to]
		require.False(t, before, "taken twice")
		got[to] = tick
	}
}

func TestTimeoutIsTakenAtItsTick(t *testing.T) {
	for name, advance := range waysToAdvance {
		t.Run(name, func(t *testing.T) {
			forEachSize(t, func(t *testing.T, empty *driver) {
				for _, row := range expiryCases(empty.turnLen()) {
					t.Run(row.name, func(t *testing.T) {
						want := row.want
						if want == nil {
							want = row.ticks
						}
						d := newDriver(int(empty.turnLen())).from(row.current)
						all := d.arm(row.ticks...)
						got := advance(t, d, slices.Max(want))
						require.Len(t, got, len(all))
						for i, to := range all {
							require.Equal(t, want[i], got[to], "armed for %d", row.ticks[i])
						}
					})
				}
			})
		})
	}
}

// levelsVisited advances to a tick, from slot to slot, and returns the levels on which each timeout was
// filed, in order.
func levelsVisited(d *driver, all []*Timeout, to int64) map[*Timeout][]int {
	paths := map[*Timeout][]int{}
	look := func() {
		for _, to := range all {
			path := paths[to]
			if to.home != unfiled && (len(path) == 0 || path[len(path)-1] != to.home.level()) {
				paths[to] = append(path, to.home.level())
			}
		}
	}
	look()
	for start := d.slotAt(); start <= to; start = d.slotAt() {
		d.take(start - 1)
		d.reach(start)
		look()
		d.take(start)
	}
	d.take(to)
	return paths
}

func TestTimeoutIsFiledAtMostOnceALevel(t *testing.T) {
	forEachSize(t, func(t *testing.T, empty *driver) {
		for _, current := range []int64{1, 12345, 1 << 40} {
			d := newDriver(int(empty.turnLen())).from(current)
			far := []int64{current + 1<<17, current + 1<<30 - 1, current + 1<<44 + 99, maxDeadline - 1}
			for to, path := range levelsVisited(d, d.arm(far...), maxDeadline-1) {
				require.LessOrEqual(t, len(path), len(d.levels))
				isFalling := slices.IsSortedFunc(path, func(a, b int) int { return cmp.Compare(b, a) })
				require.True(t, isFalling, "levels %v of %d", path, to.load().deadline())
			}
			require.Zero(t, d.count)
		}
	})
}

// 20 days are 1.7e15 ticks here. If the wheel visited each, or each turn, this test would not return.
func TestSkippingTwentyDaysVisitsNoEmptyTicks(t *testing.T) {
	const days = int64(20 * 24 * time.Hour) // in ticks
	forEachSize(t, func(t *testing.T, d *driver) {
		var due []int64
		rnd := rand.New(rand.NewPCG(4, 4))
		for range 1000 {
			due = append(due, 1+rnd.Int64N(days))
		}
		d.arm(due...)
		assert.Len(t, d.take(days), len(due))
		assert.Equal(t, days+1, d.current)
	})
}

func TestNextIsExactIfNoTimeoutWasRemovedOrMoved(t *testing.T) {
	for _, row := range []struct {
		name  string
		ticks []int64
		want  int64
	}{
		{"empty wheel", nil, noTick},
		{"the current tick", []int64{1}, 1},
		{"the last bucket of the turn", []int64{8}, 8},
		{"the first tick of the second turn", []int64{9}, 9},
		{"the first timeout due is not the first armed", []int64{7, 3, 5}, 3},
		{"the earliest of a slot is not the first armed", []int64{21, 17, 19}, 17},
		{"a bucket before a slot", []int64{500, 8, 17}, 8},
		{"a slot, with a second one behind it", []int64{33, 18}, 18},
		{"a fine ring before a coarse one", []int64{1 << 20, 700, 300}, 300},
		{"one far timeout", []int64{maxDeadline - 1}, maxDeadline - 1},
		{"a tick that no clock reaches", []int64{maxDeadline}, maxDeadline},
		{"a tick that no clock reaches, and an ordinary one", []int64{maxDeadline, 99}, 99},
	} {
		t.Run(row.name, func(t *testing.T) {
			d := newDriver(8)
			d.arm(row.ticks...)
			assert.Equal(t, row.want, d.next())
		})
	}
}

func TestEmptiedSlotForgetsItsEarliestTick(t *testing.T) {
	for name, empty := range map[string]func(d *driver, to *Timeout){
		"by removing its timeout":     func(d *driver, to *Timeout) { d.remove(to) },
		"by filing its timeout again": func(_ *driver, _ *Timeout) {},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDriver(8)
			empty(d, d.arm(17)[0])
			d.take(23)
			d.arm(17+256+1, 17+256+2) // the same slot, a turn of its ring later
			assert.Equal(t, int64(17+256+1), d.next())
		})
	}
}
