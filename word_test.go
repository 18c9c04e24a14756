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
		tm.room.admit(nil)
	}
	return r
}

func (r rig) stop() rig { r.tm.queue.close(); return r }
func (r rig) full() rig { r.tm.room.reserved.Store(r.tm.room.max); return r }

// requireLeft checks the word that an operation left, and whether it pushed the timeout.
func (r rig) requireLeft(t *testing.T, want word, pushed bool) {
	t.Helper()
	require.Equal(t, show(want), show(r.load()))
	require.Equal(t, pushed, !r.tm.queue.isClosed() && r.tm.queue.take() != nil, "pushed")
}

func (r rig) requireReserved(t *testing.T, n int64) {
	t.Helper()
	require.Equal(t, n, r.tm.room.reserved.Load(), "reserved")
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

func TestArm(t *testing.T) {
	for _, row := range []struct {
		from     word
		deadline int64
		want     word
		was      bool
		pushed   bool
	}{
		// The first arming, or an arming after an outcome: it is pushed, unless the timeout is in the
		// queue already.
		{pack(0, alone, Unarmed), 50, pack(50, freshInQueue, Pending), false, true},
		{pack(0, alone, Unarmed), 0, pack(0, freshInQueue, Pending), false, true}, // deadline 0 is not special
		{pack(0, alone, Unarmed), maxDeadline, pack(maxDeadline, freshInQueue, Pending), false, true},
		{pack(9, alone, Expired), 50, pack(50, inQueue, Pending), false, true},
		{pack(90, alone, Expired), 50, pack(50, inQueue, Pending), false, true},
		{pack(9, inQueue, Expired), 50, pack(50, inQueue, Pending), false, false},
		{pack(9, alone, Canceled), 50, pack(50, freshInQueue, Pending), false, true},
		{pack(9, inQueue, Canceled), 50, pack(50, inQueue, Pending), false, false},
		{pack(9, freshInQueue, Canceled), 50, pack(50, freshInQueue, Pending), false, false},
		{pack(9, alone, Rejected), 50, pack(50, inQueue, Pending), false, true},
		{pack(9, inQueue, Rejected), 50, pack(50, inQueue, Pending), false, false},
		{pack(9, alone, tooLate), 50, pack(50, inQueue, Pending), false, true},
		{pack(9, alone, over), 50, pack(50, inQueue, Pending), false, true},

		// Moved later: no push.
		{pack(9, alone, Pending), 50, pack(50, alone, Pending), true, false},
		{pack(9, alone, Pending), maxDeadline, pack(maxDeadline, alone, Pending), true, false},
		{pack(9, freshInQueue, Pending), 50, pack(50, freshInQueue, Pending), true, false},
		{pack(9, inQueue, Pending), 50, pack(50, inQueue, Pending), true, false},

		// Moved to the same deadline: nothing changes.
		{pack(50, alone, Pending), 50, pack(50, alone, Pending), true, false},
		{pack(50, inQueue, Pending), 50, pack(50, inQueue, Pending), true, false},

		// Moved earlier: it is pushed, unless the timeout is in the queue already.
		{pack(90, freshInQueue, Pending), 50, pack(50, freshInQueue, Pending), true, false},
		{pack(90, alone, Pending), 50, pack(50, inQueue, Pending), true, true},
		{pack(maxDeadline, alone, Pending), 0, pack(0, inQueue, Pending), true, true},
		{pack(90, inQueue, Pending), 50, pack(50, inQueue, Pending), true, false},
	} {
		name := fmt.Sprintf("%s from %d to %d", describe(row.from), row.from.deadline(), row.deadline)
		t.Run(name, func(t *testing.T) {
			r := newRig(row.from)
			require.Equal(t, row.was, r.tm.arm(r.Timeout, row.deadline))
			require.NoError(t, r.Err())
			r.requireLeft(t, row.want, row.pushed)
			r.requireReserved(t, 1)
		})
	}
}

func TestArmOnAFullTimer(t *testing.T) {
	for _, row := range []struct {
		from, want word
		was        bool
		pushed     bool
		err        error
	}{
		{pack(0, alone, Unarmed), pack(50, alone, Rejected), false, false, ErrFull},
		{pack(9, alone, Expired), pack(50, alone, Rejected), false, false, ErrFull},
		{pack(9, inQueue, Expired), pack(50, inQueue, Rejected), false, false, ErrFull},
		{pack(9, alone, Canceled), pack(50, alone, Rejected), false, false, ErrFull},
		{pack(9, inQueue, Canceled), pack(50, inQueue, Rejected), false, false, ErrFull},
		{pack(9, alone, Rejected), pack(50, alone, Rejected), false, false, ErrFull},
		{pack(9, inQueue, Rejected), pack(50, inQueue, Rejected), false, false, ErrFull},
		{pack(9, alone, over), pack(50, alone, Rejected), false, false, ErrFull},
		// A pending timeout has its reservation already.
		{pack(9, alone, Pending), pack(50, alone, Pending), true, false, nil},
		{pack(90, alone, Pending), pack(50, inQueue, Pending), true, true, nil},
		{pack(9, inQueue, Pending), pack(50, inQueue, Pending), true, false, nil},
	} {
		t.Run(fmt.Sprintf("%s from %d", describe(row.from), row.from.deadline()), func(t *testing.T) {
			r := newRig(row.from).full()
			require.Equal(t, row.was, r.tm.arm(r.Timeout, 50))
			require.Equal(t, row.err, r.Err())
			r.requireLeft(t, row.want, row.pushed)
			r.requireReserved(t, r.tm.room.max)
		})
	}
}

func TestArmOnAStoppedTimer(t *testing.T) {
	for _, row := range []struct {
		from, want word
		was        bool
		err        error
		reserved   int64
	}{
		{pack(0, alone, Unarmed), pack(50, alone, tooLate), false, ErrStopped, 0},
		{pack(9, alone, Expired), pack(50, alone, tooLate), false, ErrStopped, 0},
		{pack(9, alone, Canceled), pack(50, alone, tooLate), false, ErrStopped, 0},
		{pack(9, alone, Rejected), pack(50, alone, tooLate), false, ErrStopped, 0},
		{pack(9, alone, tooLate), pack(50, alone, tooLate), false, ErrStopped, 0},
		// The push is refused, and the wheel does not hold the timeout.
		{pack(90, alone, Pending), pack(50, alone, tooLate), true, ErrStopped, 0},
		// Moved later: no push, and Timer.Stop cancels the timeout.
		{pack(9, alone, Pending), pack(50, alone, Pending), true, nil, 1},
		// Another goroutine's push will be refused.
		{pack(90, inQueue, Pending), pack(50, inQueue, Pending), true, nil, 1},
	} {
		t.Run(fmt.Sprintf("%s from %d", describe(row.from), row.from.deadline()), func(t *testing.T) {
			r := newRig(row.from).stop()
			require.Equal(t, row.was, r.tm.arm(r.Timeout, 50))
			require.Equal(t, row.err, r.Err())
			r.requireLeft(t, row.want, false)
			r.requireReserved(t, row.reserved)
		})
	}
}

func TestArmOnAStoppedTimerThatIsFull(t *testing.T) {
	r := newRig(pack(0, alone, Unarmed)).stop().full()
	require.False(t, r.tm.arm(r.Timeout, 50))
	require.Equal(t, ErrStopped, r.Err())
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
	left := func(flag int64, s State) string { return show(pack(9, flag, s)) } // unqueue's result

	const pushed = true
	for _, row := range []struct {
		op     operation
		from   State
		in     int64 // alone, inQueue or freshInQueue
		want   State
		wantIn int64
		result any  // of the operation
		pushed bool // by the operation
	}{
		{stop, Unarmed, alone, Unarmed, alone, false, !pushed},
		{stop, Unarmed, inQueue, Unarmed, inQueue, false, !pushed},
		{stop, Pending, alone, Canceled, inQueue, true, pushed}, // so that the worker takes it out of the wheel
		{stop, Pending, inQueue, Canceled, inQueue, true, !pushed},
		{stop, Expired, alone, Expired, alone, false, !pushed},
		{stop, Expired, inQueue, Expired, inQueue, false, !pushed},
		{stop, Canceled, alone, Canceled, alone, false, !pushed},
		{stop, Canceled, inQueue, Canceled, inQueue, false, !pushed},
		{stop, Rejected, alone, Rejected, alone, false, !pushed},
		{stop, Rejected, inQueue, Rejected, inQueue, false, !pushed},

		{claim, Unarmed, alone, Unarmed, alone, false, !pushed},
		{claim, Unarmed, inQueue, Unarmed, inQueue, false, !pushed},
		{claim, Pending, alone, Expired, alone, true, !pushed},
		{claimEarly, Pending, alone, Pending, alone, false, !pushed},
		{claim, Pending, inQueue, Pending, inQueue, false, !pushed}, // the next drain files it again
		{claim, Expired, alone, Expired, alone, false, !pushed},
		{claim, Expired, inQueue, Expired, inQueue, false, !pushed},
		{claim, Canceled, alone, Canceled, alone, false, !pushed},
		{claim, Canceled, inQueue, Canceled, inQueue, false, !pushed},
		{claim, Rejected, alone, Rejected, alone, false, !pushed},
		{claim, Rejected, inQueue, Rejected, inQueue, false, !pushed},

		{unqueue, Unarmed, inQueue, Unarmed, alone, left(alone, Unarmed), !pushed},
		{unqueue, Pending, inQueue, Pending, alone, left(alone, Pending), !pushed},
		{unqueue, Expired, inQueue, Expired, alone, left(alone, Expired), !pushed},
		{unqueue, Canceled, inQueue, Canceled, alone, left(alone, Canceled), !pushed},
		{unqueue, Rejected, inQueue, Rejected, alone, left(alone, Rejected), !pushed},

		{collect, Unarmed, alone, Unarmed, alone, false, !pushed},
		{collect, Unarmed, inQueue, Unarmed, inQueue, false, !pushed},
		{collect, Pending, alone, Canceled, alone, true, !pushed},
		{collect, Pending, inQueue, Canceled, inQueue, true, !pushed}, // its push is about to be refused
		{collect, Expired, alone, Expired, alone, false, !pushed},
		{collect, Expired, inQueue, Expired, inQueue, false, !pushed},
		{collect, Canceled, alone, Canceled, alone, false, !pushed},
		{collect, Canceled, inQueue, Canceled, inQueue, false, !pushed},
		{collect, Rejected, alone, Rejected, alone, false, !pushed},
		{collect, Rejected, inQueue, Rejected, inQueue, false, !pushed},

		{refuse, Unarmed, alone, Unarmed, alone, false, !pushed},
		{refuse, Unarmed, inQueue, Unarmed, alone, false, !pushed},
		{refuse, Pending, alone, tooLate, alone, true, !pushed},
		{refuse, Pending, inQueue, tooLate, alone, true, !pushed},
		{refuse, Expired, alone, Expired, alone, false, !pushed},
		{refuse, Expired, inQueue, Expired, alone, false, !pushed},
		{refuse, Canceled, alone, Canceled, alone, false, !pushed}, // a Stop has returned true
		{refuse, Canceled, inQueue, Canceled, alone, false, !pushed},
		{refuse, Rejected, alone, Rejected, alone, false, !pushed},
		{refuse, Rejected, inQueue, Rejected, alone, false, !pushed},
		{refuse, tooLate, inQueue, tooLate, alone, false, !pushed},
		{refuse, Pending, freshInQueue, tooLate, alone, true, !pushed},

		{refuseFiled, Pending, inQueue, Pending, alone, false, !pushed}, // Timer.Stop will find it
		{refuseFiled, Canceled, inQueue, Canceled, alone, false, !pushed},

		{stop, Pending, freshInQueue, Canceled, freshInQueue, true, !pushed},
		{collect, Pending, freshInQueue, Canceled, freshInQueue, true, !pushed},
		{unqueue, Pending, freshInQueue, Pending, alone, left(alone, Pending), !pushed},
		{unqueue, Canceled, freshInQueue, Canceled, alone, left(alone, Canceled), !pushed},
	} {
		from := pack(9, row.in, row.from)
		t.Run(row.op.name+" from "+describe(from), func(t *testing.T) {
			r := newRig(from)
			require.Equal(t, row.result, row.op.do(r))
			r.requireLeft(t, pack(9, row.wantIn, row.want), row.pushed)
		})
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
