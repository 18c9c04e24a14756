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

// wheelSizes are the least, those on a word's edge, the default, and a large one.
var wheelSizes = []int{1, 2, 64, 512, 1 << 16}

// driver does the worker's part for a wheel, in the simplest way.
type driver struct {
	hashedWheel
	due bucket
}

// newDriver returns a wheel of 1ns ticks, so that a deadline is a tick.
func newDriver(size int) *driver { return newDriverOf(1, size) }

func newDriverOf(tick time.Duration, size int) *driver {
	d := new(driver)
	d.init(int64(tick), size)
	return d
}

func pendingAt(deadline int64) *Timeout {
	to := new(Timeout)
	setWord(to, deadline, 0, Pending)
	return to
}

func setWord(to *Timeout, deadline, flags int64, s State) {
	to.word.Store(int64(pack(deadline, flags, s)))
}

// from sets an empty wheel to a tick.
func (d *driver) from(tick int64) *driver {
	d.rewind(tick)
	return d
}

func (d *driver) arm(deadlines ...int64) (all []*Timeout) {
	for _, deadline := range deadlines {
		to := pendingAt(deadline)
		d.place(to, d.tickOf(deadline))
		all = append(all, to)
	}
	return all
}

// take advances to a tick and returns at which tick each timeout was taken. It
// does not mind whether that has been moved or cancelled: the worker does.
func (d *driver) take(to int64) map[*Timeout]int64 {
	got := map[*Timeout]int64{}
	for tick := d.advance(to, &d.due); tick != noTick; tick = d.advance(to, &d.due) {
		for to := range d.members() {
			d.remove(to)
			got[to] = tick
		}
	}
	d.check(&d.due, false)
	return got
}

// members yields the due list.
func (d *driver) members() map[*Timeout]bool {
	all := map[*Timeout]bool{}
	d.due.check(func(to *Timeout) { all[to] = true })
	return all
}

// eachSize runs f with a new wheel of each size.
func eachSize(t *testing.T, f func(t *testing.T, d *driver)) {
	for _, size := range wheelSizes {
		t.Run(fmt.Sprintf("size=%d", size), func(t *testing.T) { f(t, newDriver(size)) })
	}
}

func TestTickOfRoundsUp(t *testing.T) {
	for _, row := range []struct{ tick, deadline, want int64 }{
		{10, 0, 0},
		{10, 1, 1},
		{10, 9, 1},
		{10, 10, 1},
		{10, 11, 2},
		{10, -1, 0},
		{10, -9, 0},
		{10, -10, -1},
		{10, -11, -1},
		{10, -19, -1},
		{10, -20, -2},
		{1, maxDeadline, maxDeadline},
		{1, minDeadline, minDeadline},
		{2, maxDeadline, 1<<58 - 1},
		{2, maxDeadline - 2, 1<<58 - 2},
		{maxDeadline, maxDeadline, 1},
		{maxDeadline, 1, 1},
		{maxDeadline, 0, 0},
	} {
		assert.Equal(t, row.want, newDriverOf(time.Duration(row.tick), 2).tickOf(row.deadline), "deadline %d, tick %d", row.deadline, row.tick)
	}
}

func TestTheFirstTickIsTheOneAfterTheTimerWasMade(t *testing.T) {
	d := newDriver(4)
	d.arm(0)
	assert.Equal(t, int64(1), d.next())
}

// expiry is a wheel at tick current to which timeouts are armed for some ticks.
// They expire at those ticks, but for what want says otherwise.
type expiry struct {
	says    string
	current int64
	ticks   []int64
	want    []int64
}

// expiries are the cases that other wheels got wrong, for one of n buckets.
func expiries(n int64) []expiry {
	const c = 1000 // a current tick like any other
	all := []expiry{
		{"a tick that has been taken becomes the current one, not one a turn later", c, []int64{c - 1, c - n, 1, 0, -5, minDeadline}, []int64{c, c, c, c, c, c}},
		{"the current tick can still expire", c, []int64{c}, nil},
		{"the next one is not the current one", c, []int64{c + 1}, nil},

		{"a delay of exactly a turn", c, []int64{c + n}, nil},
		{"a tick that is a multiple of the turn", c, []int64{(c/n + 1) * n, (c/n + 2) * n}, nil},
		{"delays of a whole number of turns, and one tick off", c, []int64{c + 2*n - 1, c + 2*n, c + 2*n + 1, c + 3*n}, nil},
		{"a delay on both sides of the turn", c, []int64{c + n - 1, c + n}, nil},
		{"the wheel stands at the beginning of a turn", 4 * n, []int64{4 * n, 5*n - 1, 5 * n, 6 * n}, nil},
		{"the wheel stands at the end of a turn", 4*n - 1, []int64{4*n - 1, 4 * n, 5*n - 2, 5*n - 1, 5 * n}, nil},

		{"longer than the wheel by several turns", c, []int64{c + 10*n + 3}, nil},
		{"longer than the first ring", c, []int64{c + 100*n + 7}, nil},
		{"several times the longest delay that two rings hold", c, []int64{c + 3*4096*n + 1}, nil},
		{"weeks among milliseconds: a far one displaces none that is near", c, []int64{c + 1, 1 << 50, c + 2, c + n + 1}, nil},
		{"near ones armed last", c, []int64{1 << 50, c + 64*n, c + n, c + 1}, nil},
		{"the bucket of the current tick belongs to this turn, not to the next", c, []int64{c, c + n, c + 2*n}, nil},
		{"several in one bucket", c, []int64{c + 1, c + 1, c + 1}, nil},
		{"several in one slot of a ring, in no order", c, []int64{c + 65*n + 1, c + 65*n, c + 66*n - 1, c + 65*n}, nil},

		{"tick 0 is a tick like any other", -3, []int64{0}, nil},
		{"tick -1 is a tick like any other", -3, []int64{-1}, nil},
		{"a clock set back before the timer was made", -3*n - 2, []int64{-3*n - 2, -3*n - 1, -2 * n, -n, -1, 0, 1, n}, nil},
		{"a clock set back by a year", -1 << 55, []int64{-1 << 55, -1<<55 + n, -1<<55 + 1<<40, -1 << 54, 0, c}, nil},

		{"the last tick that a clock can reach", maxDeadline - 3, []int64{maxDeadline - 1, maxDeadline - 2}, nil},
		{"the last tick, from the first", minDeadline + 1, []int64{maxDeadline - 1}, nil},
	}
	for k := range 5 { // the slots of ring k are of n<<6k ticks
		slot := n << (6 * k)
		all = append(all,
			expiry{fmt.Sprintf("1 slot of ring %d ahead, to the tick", k), c, []int64{c + slot - 1, c + slot, c + slot + 1}, nil},
			expiry{fmt.Sprintf("63 slots of ring %d ahead, the most it holds", k), c, []int64{(c/slot+63)*slot - 1, (c/slot + 63) * slot, (c/slot+64)*slot - 1}, nil},
			expiry{fmt.Sprintf("64 slots of ring %d ahead, for the next ring", k), c, []int64{(c/slot + 64) * slot, c + 64*slot}, nil},
			expiry{fmt.Sprintf("from the first tick of a slot of ring %d", k), 5 * slot, []int64{6*slot - 1, 6 * slot, 68 * slot, 69*slot - 1, 69 * slot}, nil},
			expiry{fmt.Sprintf("from the last tick of a slot of ring %d", k), 5*slot - 1, []int64{5 * slot, 6*slot - 1, 67*slot + 1, 68*slot - 1, 68 * slot}, nil},
		)
	}
	return all
}

// walks are the ways in which time can pass.
var walks = map[string]func(t *testing.T, d *driver, to int64) map[*Timeout]int64{
	// Skipped ticks are no rounds less: rounds are not counted by visits.
	"in one leap": func(_ *testing.T, d *driver, to int64) map[*Timeout]int64 { return d.take(to) },

	"tick by tick": func(t *testing.T, d *driver, to int64) map[*Timeout]int64 {
		got := map[*Timeout]int64{}
		if to-d.current > 1<<11 { // the last of them, if there are too many
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
			require.NotEmpty(t, some, "next said %d", next)
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

func TestATimeoutIsTakenAtItsTick(t *testing.T) {
	for walk, pass := range walks {
		t.Run(walk, func(t *testing.T) {
			eachSize(t, func(t *testing.T, empty *driver) {
				for _, row := range expiries(int64(len(empty.buckets))) {
					t.Run(row.says, func(t *testing.T) {
						want := row.want
						if want == nil {
							want = row.ticks
						}
						d := newDriver(len(empty.buckets)).from(row.current)
						all := d.arm(row.ticks...)
						got := pass(t, d, slices.Max(want))
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

func TestTheDrawing(t *testing.T) {
	d := newDriver(8).from(3)
	to := d.arm(1000)[0]
	require.Equal(t, inRing+1, to.home.level())
	require.Empty(t, d.take(511))
	require.Equal(t, inRing+1, to.home.level())
	require.Empty(t, d.take(512))
	require.Equal(t, inRing, to.home.level())
	require.Empty(t, d.take(999))
	require.Equal(t, inRing, to.home.level())
	require.Equal(t, map[*Timeout]int64{to: 1000}, d.take(1000))
}

// Deadlines within one tick are in one bucket, in no order: all of them are due
// at its end, and none may be missed because another is met first.
func TestABucketIsTakenWholeWhateverTheOrderOfItsDeadlines(t *testing.T) {
	d := newDriverOf(10, 64)
	for _, to := range d.arm(45, 41, 50, 49, 42) {
		require.Equal(t, int64(5), to.home.tick())
	}
	assert.Empty(t, d.take(4))
	assert.Len(t, d.take(5), 5)
}

// A tick is absolute: it was not reckoned from where the wheel happens to be.
func TestATimeoutArmedWhileTheWheelIsBehindIsTakenAtItsTick(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		d.arm(2)
		n := int64(len(d.buckets))
		late := d.arm(1000+5*n, 1000+5*n+1) // the wheel is still at tick 1
		assert.Len(t, d.take(1000+5*n), 2)
		assert.Equal(t, map[*Timeout]int64{late[1]: 1000 + 5*n + 1}, d.take(1000+6*n))
	})
}

func TestTheTickThatWasTakenIsBehindTheWheelAtOnce(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		d.arm(5, 5)
		require.Equal(t, int64(5), d.advance(5, &d.due))
		again := d.arm(5) // by a task, say, before the due list is handed out
		require.Equal(t, int64(6), again[0].home.tick())
		d.check(&d.due, false)
	})
}

func TestAdvanceNeverTurnsTheWheelBack(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		d.take(100)
		d.arm(101)
		assert.Empty(t, d.take(50))
		assert.Equal(t, int64(101), d.current)
	})
}

func TestDeadlinesThatNoClockReachesAreNeverDue(t *testing.T) {
	for _, tick := range []time.Duration{1, 3, time.Millisecond, time.Hour, maxTick - 1, maxTick} {
		for _, size := range wheelSizes {
			d := newDriverOf(tick, size)
			to := d.arm(maxDeadline)[0]
			last := int64(maxDeadline-1) / d.hashedWheel.tick // that the clock can show
			require.Equal(t, int64(noTick), d.next(), "tick %v, size %d", tick, size)
			require.Empty(t, d.take(last), "tick %v, size %d", tick, size)
			require.Equal(t, int64(noTick), d.next(), "tick %v, size %d", tick, size)
			d.remove(to) // it stays cancellable
			require.Zero(t, d.count)
		}
	}
}

func TestARingReachesNeverFromTheEarliestClockThereIs(t *testing.T) {
	for _, tick := range []int64{1, 2, 3, 63, 64, 65, 100_000, 1e8, 1 << 40, 1 << 58, maxDeadline} {
		for size := 1; size <= 1<<16; size *= 2 {
			d := newDriverOf(time.Duration(tick), size)
			earliest := minDeadline/tick + 1 // behind the first tick taken
			d.from(earliest).arm(maxDeadline, maxDeadline-1, 0, minDeadline)
			d.check(&d.due, false)
			require.Less(t, inRing+len(d.rings), 1<<levelBits, "levels")
		}
	}
}

// touches walks to a tick over all the starts of slots on the way, and returns
// the levels that each timeout has been on, the first included.
func touches(d *driver, all []*Timeout, to int64) map[*Timeout][]int {
	paths := map[*Timeout][]int{}
	look := func() {
		for _, to := range all {
			if path, level := paths[to], to.home.level(); level != unfiled && (len(path) == 0 || path[len(path)-1] != level) {
				paths[to] = append(path, level)
			}
		}
	}
	look()
	for _, start := d.nextSlot(); start <= to; _, start = d.nextSlot() {
		d.take(start - 1)
		d.advance(start, &d.due)
		look()
		for to := range d.members() {
			d.remove(to)
		}
	}
	d.take(to)
	return paths
}

func TestATimeoutIsTouchedAtMostOnceARing(t *testing.T) {
	eachSize(t, func(t *testing.T, empty *driver) {
		for _, current := range []int64{minDeadline + 1, -1 << 50, -1, 1, 12345, 1 << 40} {
			d := newDriver(len(empty.buckets)).from(current)
			far := []int64{current + 1<<17, current + 1<<30 - 1, current + 1<<44 + 99, maxDeadline - 1}
			for to, path := range touches(d, d.arm(far...), maxDeadline-1) {
				require.LessOrEqual(t, len(path), len(d.rings)+1)
				require.True(t, slices.IsSortedFunc(path, func(a, b int) int { return cmp.Compare(b, a) }), "levels %v of %d", path, to.load().deadline())
			}
			require.Zero(t, d.count)
		}
	})
}

// Ticks that have nothing due cost nothing, nor do turns: this would not return.
func TestTwentyDaysAreSkippedForAVisitARingToEachTimeout(t *testing.T) {
	const days = int64(20 * 24 * time.Hour) // in ticks
	eachSize(t, func(t *testing.T, d *driver) {
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

func TestNextIsExactWhileNothingIsRemovedOrMoved(t *testing.T) {
	for _, row := range []struct {
		says  string
		ticks []int64
		want  int64
	}{
		{"an empty wheel has none", nil, noTick},
		{"the current tick", []int64{1}, 1},
		{"the last bucket of the turn", []int64{8}, 8},
		{"the first tick of the second turn", []int64{9}, 9},
		{"not the first one armed, but the first one due", []int64{7, 3, 5}, 3},
		{"the first of a slot, whichever came first", []int64{21, 17, 19}, 17},
		{"a bucket before a slot", []int64{500, 8, 17}, 8},
		{"a slot, with a second one behind it", []int64{33, 18}, 18},
		{"a fine ring before a coarse one", []int64{1 << 20, 700, 300}, 300},
		{"the far one alone", []int64{maxDeadline - 1}, maxDeadline - 1},
		{"one that no clock reaches is none", []int64{maxDeadline}, noTick},
		{"one that no clock reaches beside one that it does", []int64{maxDeadline, 99}, 99},
	} {
		t.Run(row.says, func(t *testing.T) {
			d := newDriver(8)
			d.arm(row.ticks...)
			assert.Equal(t, row.want, d.next())
		})
	}
}

// A timeout that has waited in a coarse ring can be due before those that were
// armed later, in a finer ring or a bucket.
func TestNextLooksAtEveryRing(t *testing.T) {
	d := newDriver(8)
	d.arm(512 + 3) // ring 1
	d.take(500)
	for _, near := range []int64{508 + 7, 508 + 8, 560} { // in a bucket or ring 0, and due later or with it
		d.arm(near)
		assert.Equal(t, int64(515), d.next())
	}
}

func TestNextIsNeverTooLateOnceTimeoutsAreRemoved(t *testing.T) {
	d := newDriver(8)
	all := d.arm(17, 19)
	d.remove(all[0])
	require.LessOrEqual(t, d.next(), int64(19))
	require.Empty(t, d.take(d.next()))
	assert.Equal(t, int64(19), d.next(), "after one wake-up for nothing")
}

func TestASlotForgetsItsEarliestOnceItIsEmpty(t *testing.T) {
	for says, empty := range map[string]func(d *driver, to *Timeout){
		"by a removal": func(d *driver, to *Timeout) { d.remove(to) },
		"by refiling":  func(d *driver, _ *Timeout) { d.take(17) },
	} {
		t.Run(says, func(t *testing.T) {
			d := newDriver(8)
			empty(d, d.arm(17)[0])
			d.arm(17+512-8, 20+512-8) // the same slot, a round later
			d.remove(d.arm(23)[0])
			assert.Equal(t, int64(17+512-8), d.next())
		})
	}
}

func TestRemoveTakesATimeoutOut(t *testing.T) {
	for _, row := range []struct {
		says  string
		armed []int64
		next  int64 // once the first of them is removed
	}{
		{"the only one in a bucket", []int64{3}, noTick},
		{"one of two in a bucket", []int64{3, 3}, 3},
		{"the only one in a slot", []int64{17}, noTick},
		{"one of two in a slot", []int64{17, 17}, 17},
		{"the only one in a bucket, with another behind it", []int64{3, 4}, 4},
		{"the only one in a slot, with another ring behind it", []int64{17, 1000}, 1000},
		{"one clamped to the current tick", []int64{-5, 2}, 2},
		{"one far away, with a near one before it", []int64{1 << 40, 2}, 2},
	} {
		t.Run(row.says, func(t *testing.T) {
			d := newDriver(8)
			out := d.arm(row.armed...)[0]
			d.remove(out)
			d.check(&d.due, false)
			assert.Equal(t, home(unfiled), out.home)
			assert.Equal(t, len(row.armed)-1, d.count)
			assert.Equal(t, row.next, d.next())
			assert.Zero(t, d.take(maxDeadline - 1)[out], "the tick it is taken at")
		})
	}
}

func TestRemoveTakesATimeoutOutOfTheDueList(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		all := d.arm(5, 5, 5)
		require.Equal(t, int64(5), d.advance(5, &d.due))
		d.remove(all[1])
		assert.Equal(t, map[*Timeout]bool{all[0]: true, all[2]: true}, d.members())
		assert.Equal(t, 2, d.count)
	})
}

// The bucket that the due list came from is the next turn's now.
func TestRemoveFromTheDueListLeavesTheNextTurnAlone(t *testing.T) {
	d := newDriver(8)
	due := d.arm(5)[0]
	d.advance(5, &d.due)
	d.arm(5 + 8)
	d.remove(due)
	d.check(&d.due, false)
	assert.Equal(t, int64(13), d.next())
}

func TestATimeoutThatWasRemovedCanBePlacedAgain(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		to := d.arm(1 << 30)[0]
		for _, tick := range []int64{5, 1 << 40, 5, 7} {
			d.remove(to)
			setWord(to, tick, 0, Pending)
			d.place(to, tick)
			d.check(&d.due, false)
		}
		assert.Equal(t, map[*Timeout]int64{to: 7}, d.take(100))
	})
}

// Moved later by its word alone, a timeout is still filed under the old tick: in
// a ring, it must not come up then, nor be filed closer to the old one.
func TestRefileGoesByTheNewDeadline(t *testing.T) {
	eachSize(t, func(t *testing.T, empty *driver) {
		n := int64(len(empty.buckets))
		old := 1 + 70*n
		for _, deadline := range []int64{old + 1, old + n, old + 64*n, old + 5000*n, 1 << 55} {
			d := newDriver(len(empty.buckets))
			to := d.arm(old)[0]
			setWord(to, deadline, 0, Pending)
			require.Equal(t, map[*Timeout]int64{to: deadline}, d.take(1<<55), "moved to %d", deadline)
		}
	})
}

// In a bucket it comes up at the old tick, and the worker files it again.
func TestATimeoutMovedLaterInABucketIsFoundAtItsOldTick(t *testing.T) {
	d := newDriver(8)
	to := d.arm(5)[0]
	setWord(to, 100, 0, Pending)
	assert.Equal(t, map[*Timeout]int64{to: 5}, d.take(50))
}

func TestRefileLetsGoOfWhatIsNoLongerPending(t *testing.T) {
	for _, s := range []State{Cancelled, Rejected} {
		eachSize(t, func(t *testing.T, d *driver) {
			n := int64(len(d.buckets))
			all := d.arm(1+70*n, 1+70*n)
			setWord(all[0], 1+70*n, queued, s)
			require.Equal(t, map[*Timeout]int64{all[1]: 1 + 70*n}, d.take(1+70*n))
			assert.Equal(t, home(unfiled), all[0].home)
			assert.Nil(t, all[0].prev)
			assert.Zero(t, d.count)
		})
	}
}

// Moved earlier, it is in the queue as well: the next drain will remove it from
// wherever refile has put it, which must not be behind the wheel.
func TestRefileOfATimeoutMovedEarlierFilesItUnderTheCurrentTick(t *testing.T) {
	d := newDriver(8)
	to := d.arm(100)[0]
	setWord(to, 2, queued, Pending)
	assert.Equal(t, map[*Timeout]int64{to: 96}, d.take(100))
}

func TestRewindFilesEverythingAgain(t *testing.T) {
	eachSize(t, func(t *testing.T, empty *driver) {
		n := int64(len(empty.buckets))
		for _, back := range []int64{1, n - 1, n, n + 1, 64 * n, 1 << 30, 1 << 58} {
			d := newDriver(len(empty.buckets)).from(1 << 20)
			ticks := []int64{1 << 20, 1<<20 + n, 1<<20 + 70*n, 1 << 50, maxDeadline - 1}
			all := d.arm(ticks...)
			d.rewind(1<<20 - back)
			require.Equal(t, len(ticks), d.count)
			d.check(&d.due, false)
			want := map[*Timeout]int64{}
			for i, to := range all {
				want[to] = ticks[i]
			}
			require.Equal(t, want, d.take(maxDeadline-1), "back by %d", back)
		}
	})
}

func TestRewindUndoesWhatTheCurrentTickDidToDeadlines(t *testing.T) {
	d := newDriver(8).from(1000)
	to := d.arm(5)[0]
	require.Equal(t, int64(1000), to.home.tick())
	d.rewind(3)
	assert.Equal(t, map[*Timeout]int64{to: 5}, d.take(1000))
}

func TestRewindGoesByTheNewDeadline(t *testing.T) {
	d := newDriver(8).from(1000)
	to := d.arm(1001)[0]
	setWord(to, 1003, 0, Pending)
	d.rewind(3)
	assert.Equal(t, int64(1003), to.home.tick())
}

func TestRewindLeavesTheDueListAlone(t *testing.T) {
	d := newDriver(8)
	to := d.arm(5)[0]
	d.arm(6)
	d.advance(5, &d.due)
	d.rewind(2)
	d.check(&d.due, false)
	assert.Equal(t, map[*Timeout]bool{to: true}, d.members())
}

func TestClearHandsOverAllButTheDueList(t *testing.T) {
	eachSize(t, func(t *testing.T, d *driver) {
		n := int64(len(d.buckets))
		d.arm(5, 5)
		d.advance(5, &d.due)
		all := d.arm(6, 6+n, 6+n, 6+70*n, 1<<40, maxDeadline, 0)
		var got []*Timeout
		d.clear(func(to *Timeout) {
			require.Equal(t, home(unfiled), to.home)
			got = append(got, to)
		})
		assert.Equal(t, numbers(all, all), numbers(all, got))
		assert.Equal(t, 2, d.count)
		assert.Equal(t, int64(noTick), d.next())
		d.check(&d.due, false)
	})
}

func TestClearOfAnEmptyWheelDoesNothing(t *testing.T) {
	newDriver(8).clear(func(*Timeout) { t.Error("there is none") })
}
