package hashedwheel

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The flags of a word, in the tables.
const (
	alone        = 0 // not in the queue
	inQueue      = queued
	freshInQueue = queued | fresh
)

// rig is a timeout of a timer without a worker: only the test changes it.
type rig struct {
	*Timeout
	tm *Timer
}

// newRig returns a timeout with the given word. If it is pending, it holds a reservation of the timer.
func newRig(w word, opts ...Option) rig {
	clock := NewManualClock(time.Unix(0, 0))
	tm := MustNew(append(opts, WithClock(clock), WithMaxPending(10))...)
	r := rig{&Timeout{timer: tm, task: plainFunc(func() {})}, tm}
	r.word.Store(int64(w))
	if w.state() == Pending {
		tm.quota.acquire(bounded)
	}
	return r
}

func (r rig) stop() rig { r.tm.queue.close(); return r }
func (r rig) full() rig { r.tm.quota.taken.Store(r.tm.quota.max); return r }

// requireLeft checks the word that an operation left, and whether it pushed the timeout.
func (r rig) requireLeft(t *testing.T, want word, pushed bool) {
	t.Helper()
	require.Equal(t, show(want), show(r.load()))
	require.Equal(t, pushed, !r.tm.queue.isClosed() && r.tm.queue.take() != nil, "pushed")
}

func show(w word) string {
	return fmt.Sprintf("deadline %d, %v, queued %t, fresh %t", w.deadline(), w.state(), w.queued(), w&fresh != 0)
}

func describe(w word) string {
	where := "alone"
	if w.queued() {
		where = "in the queue"
	}
	return fmt.Sprintf("%v %s", w.state(), where)
}

// An arming is a call of arm for a timeout.
type arming struct {
	from     word
	deadline int64
	want     word
	was      bool
	pushed   bool
	err      error
}

// requireDone arms a timeout of a timer that prepare may fill or stop.
func (a arming) requireDone(t *testing.T, prepare func(rig) rig) {
	t.Run(fmt.Sprintf("%s from %d to %d", describe(a.from), a.from.deadline(), a.deadline), func(t *testing.T) {
		r := prepare(newRig(a.from))
		reserved := r.tm.quota.taken.Load()
		was, err := r.tm.arm(r.Timeout, a.deadline, bounded)
		require.Equal(t, a.was, was)
		require.Equal(t, a.err, r.Err())
		if !was {
			require.Equal(t, a.err, err)
		}
		r.requireLeft(t, a.want, a.pushed)
		require.Equal(t, reserved-reservations(a.from)+reservations(a.want), r.tm.quota.taken.Load())
	})
}

func reservations(w word) int64 {
	if w.state() == Pending {
		return 1
	}
	return 0
}

func TestArm(t *testing.T) {
	for _, a := range []arming{
		// The first arming, or an arming after an outcome: it is pushed, unless the timeout is in the
		// queue already.
		{pack(0, alone, Unarmed), 50, pack(50, freshInQueue, Pending), false, true, nil},
		{pack(0, alone, Unarmed), 0, pack(0, freshInQueue, Pending), false, true, nil}, // deadline 0 is not special
		{pack(0, alone, Unarmed), maxDeadline, pack(maxDeadline, freshInQueue, Pending), false, true, nil},
		{pack(9, alone, Expired), 50, pack(50, inQueue, Pending), false, true, nil},
		{pack(90, alone, Expired), 50, pack(50, inQueue, Pending), false, true, nil},
		{pack(9, inQueue, Expired), 50, pack(50, inQueue, Pending), false, false, nil},
		{pack(9, alone, Canceled), 50, pack(50, freshInQueue, Pending), false, true, nil},
		{pack(9, inQueue, Canceled), 50, pack(50, inQueue, Pending), false, false, nil},
		{pack(9, freshInQueue, Canceled), 50, pack(50, freshInQueue, Pending), false, false, nil},
		{pack(9, alone, Rejected), 50, pack(50, inQueue, Pending), false, true, nil},
		{pack(9, inQueue, Rejected), 50, pack(50, inQueue, Pending), false, false, nil},
		{pack(9, alone, rejectedStopped), 50, pack(50, inQueue, Pending), false, true, nil},

		// Moved later: no push.
		{pack(9, alone, Pending), 50, pack(50, alone, Pending), true, false, nil},
		{pack(9, alone, Pending), maxDeadline, pack(maxDeadline, alone, Pending), true, false, nil},
		{pack(9, freshInQueue, Pending), 50, pack(50, freshInQueue, Pending), true, false, nil},
		{pack(9, inQueue, Pending), 50, pack(50, inQueue, Pending), true, false, nil},

		// Moved to the same deadline: nothing changes.
		{pack(50, alone, Pending), 50, pack(50, alone, Pending), true, false, nil},
		{pack(50, inQueue, Pending), 50, pack(50, inQueue, Pending), true, false, nil},

		// Moved earlier: it is pushed, unless the timeout is in the queue already.
		{pack(90, freshInQueue, Pending), 50, pack(50, freshInQueue, Pending), true, false, nil},
		{pack(90, alone, Pending), 50, pack(50, inQueue, Pending), true, true, nil},
		{pack(maxDeadline, alone, Pending), 0, pack(0, inQueue, Pending), true, true, nil},
		{pack(90, inQueue, Pending), 50, pack(50, inQueue, Pending), true, false, nil},
	} {
		a.requireDone(t, func(r rig) rig { return r })
	}
}

func TestArmOnAFullTimer(t *testing.T) {
	for _, s := range []State{Unarmed, Expired, Canceled, Rejected, rejectedStopped} {
		for _, in := range []int64{alone, inQueue} {
			arming{pack(9, in, s), 50, pack(50, in, Rejected), false, false, ErrFull}.requireDone(t, rig.full)
		}
	}
	// A pending timeout has its reservation already.
	for _, a := range []arming{
		{pack(9, alone, Pending), 50, pack(50, alone, Pending), true, false, nil},
		{pack(90, alone, Pending), 50, pack(50, inQueue, Pending), true, true, nil},
		{pack(9, inQueue, Pending), 50, pack(50, inQueue, Pending), true, false, nil},
	} {
		a.requireDone(t, rig.full)
	}
}

func TestArmOnAStoppedTimer(t *testing.T) {
	for _, s := range []State{Unarmed, Expired, Canceled, Rejected, rejectedStopped} {
		a := arming{pack(9, alone, s), 50, pack(50, alone, rejectedStopped), false, false, ErrStopped}
		a.requireDone(t, rig.stop)
		a.requireDone(t, func(r rig) rig { return r.stop().full() })
	}
	for _, a := range []arming{
		// The push is refused, and the wheel does not hold the timeout.
		{pack(90, alone, Pending), 50, pack(50, alone, rejectedStopped), true, false, ErrStopped},
		// Moved later: no push, and Timer.Stop cancels the timeout.
		{pack(9, alone, Pending), 50, pack(50, alone, Pending), true, false, nil},
		// Another goroutine's push will be refused.
		{pack(90, inQueue, Pending), 50, pack(50, inQueue, Pending), true, false, nil},
	} {
		a.requireDone(t, rig.stop)
	}
}

// claims reports whether a claim succeeds, and fails the test if it returns another word than it has claimed.
func claims(r rig, due int64) (ok bool) {
	before := r.load()
	claimed, ok := r.claim(due)
	if claimed != before {
		panic("claim returns " + show(claimed))
	}
	return ok
}

// Each operation except arm (see TestArm), on a timeout with deadline 9, from every state.
func TestTransitionsFromEveryState(t *testing.T) {
	type operation struct {
		name string
		do   func(r rig) any
	}
	stop := operation{"Stop", func(r rig) any { return r.Stop() }}
	claim := operation{"claim", func(r rig) any { return claims(r, 9) }}
	claimEarly := operation{"early claim", func(r rig) any { return claims(r, 8) }}
	// unqueue is called only if the timeout is queued: otherwise the timeout was misused, which verify/promises tests.
	unqueue := operation{"unqueue", func(r rig) any { return show(r.unqueue()) }}
	collect := operation{"collect", func(r rig) any { return r.cancelForStop() }}
	refuse := operation{"refuse", func(r rig) any { return r.refuse(false) }}
	refuseFiled := operation{"refuse, filed,", func(r rig) any { return r.refuse(true) }}
	check := func(op operation, from word, result any, want word, pushed bool) {
		t.Run(op.name+" from "+describe(from), func(t *testing.T) {
			r := newRig(from)
			require.Equal(t, result, op.do(r))
			r.requireLeft(t, want, pushed)
		})
	}

	const pushed = true
	for _, row := range []struct {
		op     operation
		in     int64 // alone, inQueue or freshInQueue
		want   State
		wantIn int64
		result any
		pushed bool
	}{
		{stop, alone, Canceled, inQueue, true, pushed}, // so that the worker takes it out of the wheel
		{stop, inQueue, Canceled, inQueue, true, !pushed},
		{stop, freshInQueue, Canceled, freshInQueue, true, !pushed},

		{claim, alone, Expired, alone, true, !pushed},
		{claimEarly, alone, Pending, alone, false, !pushed},
		{claim, inQueue, Pending, inQueue, false, !pushed}, // the next drain files it again

		{unqueue, inQueue, Pending, alone, show(pack(9, alone, Pending)), !pushed},
		{unqueue, freshInQueue, Pending, alone, show(pack(9, alone, Pending)), !pushed},

		{collect, alone, Canceled, alone, true, !pushed},
		{collect, inQueue, Canceled, inQueue, true, !pushed}, // its push is about to be refused
		{collect, freshInQueue, Canceled, freshInQueue, true, !pushed},

		{refuse, alone, rejectedStopped, alone, true, !pushed},
		{refuse, inQueue, rejectedStopped, alone, true, !pushed},
		{refuse, freshInQueue, rejectedStopped, alone, true, !pushed},
		{refuseFiled, inQueue, Pending, alone, false, !pushed}, // Timer.Stop will find it
	} {
		check(row.op, pack(9, row.in, Pending), row.result, pack(9, row.wantIn, row.want), row.pushed)
	}

	// The outcome of a timeout that is not pending stands.
	for _, s := range []State{Unarmed, Expired, Canceled, Rejected, rejectedStopped} {
		for _, in := range []int64{alone, inQueue, freshInQueue} {
			from, unqueued := pack(9, in, s), pack(9, alone, s)
			for _, op := range []operation{stop, claim, collect} {
				check(op, from, false, from, !pushed)
			}
			check(refuse, from, false, unqueued, !pushed)
			check(refuseFiled, from, false, unqueued, !pushed)
			if from.queued() {
				check(unqueue, from, show(unqueued), unqueued, !pushed)
			}
		}
	}
}

func TestUnqueueAndRefuseClearTheLink(t *testing.T) {
	r := newRig(pack(9, inQueue, Pending))
	r.link = new(Timeout)
	r.unqueue()
	assert.Nil(t, r.link)
	r.link = new(Timeout)
	r.refuse(false)
	assert.Nil(t, r.link)
}
