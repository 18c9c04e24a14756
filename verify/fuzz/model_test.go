package fuzz

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hashedwheel/hashedwheel"
)

// model is the oracle of the random test and the fuzzer: the simplest Timer, a slice of pending timeouts, sorted by the
// time at which they are due. On a ManualClock each expires at that time; on the system's clock it may wait for the end
// of the tick.
//
// The order of timeouts that are due at one time is not promised, so the model does not choose one: it sees every run
// as it happens, and checks whether that run was allowed.
type model struct {
	tick    int64 // ns: WithTick's
	waits   bool  // the worker may wait for the end of the tick
	limit   int   // of pending timeouts, 0 for none
	now     int64 // ns since the timer's start
	closed  int64 // the last time at which a ManualClock has stopped
	woken   int64 // when a task last stopped blocking the worker
	stopped bool
	pending []*entry // sorted by due

	armings, expired, rejected, panics int
	latest, least                      int64 // ns: the total lateness of all expired timeouts, at most and at least
}

// entry is the model's record of one Timeout.
type entry struct {
	id       int
	to       *hashedwheel.Timeout
	state    hashedwheel.State
	deadline int64 // ns since the timer's start
	due      int64 // when it expires if nothing changes, at the earliest; on the system's clock not before it was armed
	last     int64 // and at the latest
	armed    int64 // when that was decided, ns since the timer's start
	owed     int   // runs: how often it was dispatched, less how often its task began
	err      error // why its last arming was refused
}

// never is the deadline that no clock reaches, as the timer packs it.
const never = 1<<58 - 1

const longAgo = math.MinInt64

func clampDeadline(ns int64) int64 { return max(-1<<58, min(ns, never)) }

// in returns the deadline of a delay from now: a negative one is none.
func (m *model) in(d int64) int64 { return clampDeadline(m.read() + clampDeadline(max(0, d))) }

// read is the clock as the timer sees it: it stops short of never, and at the earliest deadline.
func (m *model) read() int64 { return min(clampDeadline(m.now), never-1) }

// nextTick returns when the first tick after a time begins.
func (m *model) nextTick(now int64) int64 {
	tick := now / m.tick
	if now%m.tick < 0 {
		tick--
	}
	return (tick + 1) * m.tick
}

// isBounded is whether a full timer refuses the arming.
type isBounded bool

const (
	bounded   isBounded = true
	unbounded isBounded = false
)

// arm is Reset or Arm to a deadline, and returns the results of both.
//
// On a ManualClock a timeout that is armed for a time at which the clock has stopped may wait for the next tick, also
// if it is then moved to a time before that. On the system's clock it is due at once, but the worker may just have run.
func (m *model) arm(e *entry, deadline int64, bound isBounded) (was bool, err error) {
	deadline = max(0, deadline) // there is no time before New
	was = e.state == hashedwheel.Pending
	due, last := deadline, deadline
	switch {
	case m.waits && deadline <= m.read():
		due = m.read()
		last = m.nextTick(due) + 1
	case m.waits:
		last = m.nextTick(due - 1)
	case deadline <= m.closed:
		last = min(never, m.nextTick(min(m.closed, never-1)))
	}
	if was {
		if deadline >= e.deadline {
			last = max(last, e.last)
		}
		m.remove(e)
	} else {
		m.armings++
	}
	e.deadline, e.armed = deadline, m.now
	if e.err = m.refusal(was, bound); e.err != nil {
		e.state = hashedwheel.Rejected
		m.rejected++
		return was, e.err
	}
	e.state = hashedwheel.Pending
	e.due, e.last = due, last
	m.insert(e)
	return was, nil
}

func (m *model) refusal(was bool, bound isBounded) error {
	switch {
	case m.stopped:
		return hashedwheel.ErrStopped
	case bool(bound) && !was && m.limit > 0 && len(m.pending) >= m.limit:
		return hashedwheel.ErrFull
	}
	return nil
}

// move is Move to a deadline.
func (m *model) move(e *entry, deadline int64) bool {
	if e.state != hashedwheel.Pending {
		return false
	}
	_, _ = m.arm(e, deadline, unbounded)
	return true
}

// stop is Timeout.Stop.
func (m *model) stop(e *entry) bool {
	if e.state != hashedwheel.Pending {
		return false
	}
	m.remove(e)
	e.state = hashedwheel.Canceled
	return true
}

// stopAll is Timer.StopAll.
func (m *model) stopAll() (left []*entry) {
	left = slices.Clone(m.pending)
	for _, e := range left {
		m.stop(e)
	}
	m.stopped = true
	return left
}

// expire records a run that was allowed.
func (m *model) expire(e *entry) {
	m.remove(e)
	latest, least := m.lateness(e)
	m.latest, m.least = addTo(m.latest, latest), addTo(m.least, least)
	e.state = hashedwheel.Expired
	m.expired++
}

// lateness returns the lateness of an entry that expires now, at most and at least. A deadline that had passed when it
// was set counts from a tick before the run that was set for it.
func (m *model) lateness(e *entry) (latest, least int64) {
	late := m.read() - e.deadline
	switch {
	case !m.waits:
		late = min(late, m.tick)
		return late, late
	case e.deadline >= e.armed:
		return late, late
	case m.woken == longAgo:
		return min(late, m.tick+1), min(late, m.tick)
	}
	return late, min(late, m.tick)
}

func addTo(sum, late int64) int64 {
	if sum+late < 0 {
		return math.MaxInt64
	}
	return sum + late
}

// overdue reports whether something should have expired by now.
func (m *model) overdue() bool {
	return len(m.pending) > 0 && m.pending[0].due < never && m.pending[0].last <= m.read()
}

func (m *model) find(e *entry) int {
	i, _ := slices.BinarySearchFunc(m.pending, e.due, func(e *entry, due int64) int { return cmp.Compare(e.due, due) })
	return i
}

func (m *model) insert(e *entry) { m.pending = slices.Insert(m.pending, m.find(e), e) }

func (m *model) remove(e *entry) {
	i := m.find(e)
	i += slices.Index(m.pending[i:], e)
	m.pending = slices.Delete(m.pending, i, i+1)
}

// randomInput is a script that differs with the seed, on a clock and executor.
func randomInput(seed uint64, c clockKind, e executorKind) []byte {
	r := rand.New(rand.NewPCG(seed, 1))
	in := make([]byte, 20+r.IntN(1500))
	for i := range in {
		in[i] = byte(r.Uint32())
	}
	in[0], in[1] = byte(c), byte(e)
	return in
}

func forEachKind(f func(c clockKind, e executorKind)) {
	for c := range clockKinds {
		for e := range executorKinds {
			f(c, e)
		}
	}
}

func TestRandomCallsMatchTheModel(t *testing.T) {
	seeds := uint64(60)
	if testing.Short() {
		seeds = 6
	}
	forEachKind(func(c clockKind, e executorKind) {
		t.Run(fmt.Sprintf("clock %d, executor %d", c, e), func(t *testing.T) {
			for seed := range seeds {
				if !play(t, randomInput(seed, c, e)) {
					t.Fatalf("seed %d", seed)
				}
			}
		})
	})
}
