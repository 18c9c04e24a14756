package hashedwheel

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestTransition tables what each operation but arm does to a timeout with
// deadline 9, from every state.
func TestTransition(t *testing.T) {
	type operation struct {
		name string
		do   func(r rig) any
	}
	stop := operation{"Stop", func(r rig) any { return r.Stop() }}
	claim := operation{"claim", func(r rig) any { return r.claim(9) }}
	unqueue := operation{"unqueue", func(r rig) any { return show(r.unqueue()) }} // of one alone: below
	collect := operation{"collect", func(r rig) any { return r.collect() }}
	refuse := operation{"refuse", func(r rig) any { return r.refuse() }}
	left := func(flag int64, s State) string { return show(pack(9, flag, s)) } // what unqueue returns

	const pushed = true
	for _, row := range []struct {
		op     operation
		from   State
		in     int64
		want   State
		wantIn int64
		result any
		pushed bool
	}{
		{stop, Idle, alone, Idle, alone, false, !pushed},
		{stop, Idle, inQueue, Idle, inQueue, false, !pushed},
		{stop, Pending, alone, Cancelled, inQueue, true, pushed}, // so that the worker unlinks it
		{stop, Pending, inQueue, Cancelled, inQueue, true, !pushed},
		{stop, Expired, alone, Expired, alone, false, !pushed},
		{stop, Expired, inQueue, Expired, inQueue, false, !pushed},
		{stop, Cancelled, alone, Cancelled, alone, false, !pushed},
		{stop, Cancelled, inQueue, Cancelled, inQueue, false, !pushed},
		{stop, Rejected, alone, Rejected, alone, false, !pushed},
		{stop, Rejected, inQueue, Rejected, inQueue, false, !pushed},

		{claim, Idle, alone, Idle, alone, false, !pushed},
		{claim, Idle, inQueue, Idle, inQueue, false, !pushed},
		{claim, Pending, alone, Expired, alone, true, !pushed},
		{claim, Pending, inQueue, Pending, inQueue, false, !pushed}, // it waits for the next drain
		{claim, Expired, alone, Expired, alone, false, !pushed},
		{claim, Expired, inQueue, Expired, inQueue, false, !pushed},
		{claim, Cancelled, alone, Cancelled, alone, false, !pushed},
		{claim, Cancelled, inQueue, Cancelled, inQueue, false, !pushed},
		{claim, Rejected, alone, Rejected, alone, false, !pushed},
		{claim, Rejected, inQueue, Rejected, inQueue, false, !pushed},

		{unqueue, Idle, inQueue, Idle, alone, left(alone, Idle), !pushed},
		{unqueue, Pending, inQueue, Pending, alone, left(alone, Pending), !pushed},
		{unqueue, Expired, inQueue, Expired, alone, left(alone, Expired), !pushed},
		{unqueue, Cancelled, inQueue, Cancelled, alone, left(alone, Cancelled), !pushed},
		{unqueue, Rejected, inQueue, Rejected, alone, left(alone, Rejected), !pushed},

		{collect, Idle, alone, Idle, alone, false, !pushed},
		{collect, Idle, inQueue, Idle, inQueue, false, !pushed},
		{collect, Pending, alone, Cancelled, alone, true, !pushed},
		{collect, Pending, inQueue, Cancelled, inQueue, true, !pushed}, // its producer is about to be refused
		{collect, Expired, alone, Expired, alone, false, !pushed},
		{collect, Expired, inQueue, Expired, inQueue, false, !pushed},
		{collect, Cancelled, alone, Cancelled, alone, false, !pushed},
		{collect, Cancelled, inQueue, Cancelled, inQueue, false, !pushed},
		{collect, Rejected, alone, Rejected, alone, false, !pushed},
		{collect, Rejected, inQueue, Rejected, inQueue, false, !pushed},

		{refuse, Idle, alone, Idle, alone, false, !pushed},
		{refuse, Idle, inQueue, Idle, alone, false, !pushed},
		{refuse, Pending, alone, tooLate, alone, true, !pushed},
		{refuse, Pending, inQueue, tooLate, alone, true, !pushed},
		{refuse, Expired, alone, Expired, alone, false, !pushed},
		{refuse, Expired, inQueue, Expired, alone, false, !pushed},
		{refuse, Cancelled, alone, Cancelled, alone, false, !pushed}, // somebody has said true to Stop
		{refuse, Cancelled, inQueue, Cancelled, alone, false, !pushed},
		{refuse, Rejected, alone, Rejected, alone, false, !pushed},
		{refuse, Rejected, inQueue, Rejected, alone, false, !pushed},
		{refuse, tooLate, inQueue, tooLate, alone, false, !pushed},
	} {
		from := pack(9, row.in, row.from)
		t.Run(row.op.name+" of one "+says(from), func(t *testing.T) {
			r := newRig(from)
			require.Equal(t, row.result, row.op.do(r))
			r.requireLeft(t, pack(9, row.wantIn, row.want), row.pushed)
		})
	}
}

func TestStopOfAStoppedTimersTimeoutLeavesItOutOfTheQueue(t *testing.T) {
	r := newRig(pack(9, alone, Pending)).stop()
	require.True(t, r.Stop())
	r.requireLeft(t, pack(9, alone, Cancelled), false)
}

func TestStopGivesTheReservationBackOnce(t *testing.T) {
	r := newRig(pack(9, alone, Pending))
	r.Stop()
	r.Stop()
	r.requireReserved(t, 0)
}

func TestClaimComparesTheDeadlineItself(t *testing.T) {
	for _, row := range []struct {
		deadline, due int64
		want          bool
	}{
		{9, 8, false},
		{9, 9, true},
		{9, 10, true},
		{0, -1, false},
		{0, 0, true},
		{-1, 0, true},
		{minDeadline, minDeadline, true},
		{maxDeadline, maxDeadline - 1, false},
	} {
		r := newRig(pack(row.deadline, alone, Pending))
		assert.Equal(t, row.want, r.claim(row.due), "deadline %d at %d", row.deadline, row.due)
	}
}

func TestUnqueueAndRefuseLetGoOfTheLink(t *testing.T) {
	r := newRig(pack(9, inQueue, Pending))
	r.link = new(Timeout)
	r.unqueue()
	assert.Nil(t, r.link)
	r.link = new(Timeout)
	r.refuse()
	assert.Nil(t, r.link)
}

// One arming has one outcome, told to exactly one of those who try to end it.
// They go through the same timeouts in the same order: whoever is ahead is
// slowed by the cache, so they meet again and again.
func TestOneOfRacingCallsEndsAnArming(t *testing.T) {
	r := newRig(pack(0, alone, Idle))
	all, ends := make([]Timeout, 50_000), make([]atomic.Int32, 50_000)
	for i := range all {
		all[i].Init(r.tm, r.task)
		setWord(&all[i], 9, alone, Pending)
	}
	var done sync.WaitGroup
	for _, end := range []func(to *Timeout) bool{
		(*Timeout).Stop,
		(*Timeout).collect,
		func(to *Timeout) bool { return to.claim(9) },
	} {
		done.Go(func() {
			for i := range all {
				if end(&all[i]) {
					ends[i].Add(1)
				}
			}
		})
	}
	done.Wait()
	for i := range ends {
		require.Equal(t, int32(1), ends[i].Load(), "timeout %d", i)
	}
}

// What runs into a list that was cut panics before it has looked at all timeouts
// for ever: unqueue meets the same twice.
func TestUnqueueOfOneThatIsNotQueuedIsMisuse(t *testing.T) {
	for s := Idle; s <= tooLate; s++ {
		r := newRig(pack(9, alone, s))
		assert.PanicsWithValue(t, "hashedwheel: Timeout of a hashedwheel.newRig.func1 was copied or overwritten after it was armed", func() { r.unqueue() }, s)
	}
}
