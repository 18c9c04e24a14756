package hashedwheel

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWordKeepsDeadlineFlagAndStateApart(t *testing.T) {
	for _, deadline := range []int64{minDeadline, minDeadline + 1, -1, 0, 1, 15, 16, maxDeadline - 1, maxDeadline} {
		for s := Idle; s <= Rejected; s++ {
			for _, flag := range []int64{0, queued} {
				w := pack(deadline, flag, s)
				assert.Equal(t, deadline, w.deadline())
				assert.Equal(t, s, w.state())
				assert.Equal(t, flag == queued, w.queued())
			}
		}
	}
}

func TestWordSettledChangesTheStateAlone(t *testing.T) {
	for s := Idle; s <= Rejected; s++ {
		assert.Equal(t, pack(minDeadline, queued, Expired), pack(minDeadline, queued, s).settled(Expired))
		assert.Equal(t, pack(maxDeadline, 0, Cancelled), pack(maxDeadline, 0, s).settled(Cancelled))
	}
}

func TestTheZeroWordIsIdle(t *testing.T) {
	assert.Equal(t, word(0), pack(0, 0, Idle))
}

// inQueue and alone say in the tables whether a timeout is in the queue.
const (
	alone   = 0
	inQueue = queued
)

// rig is a timeout whose timer has no worker, so that it stays as it was left.
type rig struct {
	*Timeout
	tm *Timer
}

// newRig returns a timeout in the given state. One that is pending holds a
// reservation of its timer's.
func newRig(w word, opts ...Option) rig {
	clock := NewManualClock(time.Unix(0, 0))
	tm := MustNew(append(opts, WithClock(clock), WithMaxPending(10))...)
	r := rig{&Timeout{timer: tm, task: plainFunc(func() {})}, tm}
	r.word.Store(int64(w))
	if w.state() == Pending {
		tm.reserve()
	}
	return r
}

func (r rig) stop() rig { r.tm.queue.close(func(*Timeout) {}); return r }
func (r rig) full() rig { r.tm.reserved.Store(r.tm.maxPending); return r }

// requireLeft checks how the operation left the timeout: its word, whether it
// was pushed, and that exactly the pending hold a reservation.
func (r rig) requireLeft(t *testing.T, want word, pushed bool) {
	t.Helper()
	require.Equal(t, show(want), show(r.load()))
	require.Equal(t, pushed, r.tm.queue.take() != nil, "pushed")
}

func (r rig) requireReserved(t *testing.T, n int64) {
	t.Helper()
	require.Equal(t, n, r.tm.reserved.Load(), "reserved")
}

func show(w word) string {
	return fmt.Sprintf("deadline %d, %v, queued %t", w.deadline(), w.state(), w.queued())
}

func says(w word) string {
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
		// The first arming, and any after an outcome: the worker has to be told,
		// unless the timeout is on its way to it already.
		{pack(0, alone, Idle), 50, pack(50, inQueue, Pending), false, true},
		{pack(0, alone, Idle), 0, pack(0, inQueue, Pending), false, true}, // a zero deadline is a deadline
		{pack(0, alone, Idle), minDeadline, pack(minDeadline, inQueue, Pending), false, true},
		{pack(0, alone, Idle), maxDeadline, pack(maxDeadline, inQueue, Pending), false, true},
		{pack(9, alone, Expired), 50, pack(50, inQueue, Pending), false, true},
		{pack(90, alone, Expired), 50, pack(50, inQueue, Pending), false, true},
		{pack(9, inQueue, Expired), 50, pack(50, inQueue, Pending), false, false},
		{pack(9, alone, Cancelled), 50, pack(50, inQueue, Pending), false, true},
		{pack(9, inQueue, Cancelled), 50, pack(50, inQueue, Pending), false, false},
		{pack(9, alone, Rejected), 50, pack(50, inQueue, Pending), false, true},
		{pack(9, inQueue, Rejected), 50, pack(50, inQueue, Pending), false, false},

		// Later: the worker finds out for itself.
		{pack(9, alone, Pending), 50, pack(50, alone, Pending), true, false},
		{pack(9, alone, Pending), maxDeadline, pack(maxDeadline, alone, Pending), true, false},
		{pack(-9, alone, Pending), 0, pack(0, alone, Pending), true, false},
		{pack(9, inQueue, Pending), 50, pack(50, inQueue, Pending), true, false},

		// The same again: nothing changes.
		{pack(50, alone, Pending), 50, pack(50, alone, Pending), true, false},
		{pack(50, inQueue, Pending), 50, pack(50, inQueue, Pending), true, false},

		// Earlier: the worker would come too late.
		{pack(90, alone, Pending), 50, pack(50, inQueue, Pending), true, true},
		{pack(0, alone, Pending), -1, pack(-1, inQueue, Pending), true, true},
		{pack(maxDeadline, alone, Pending), minDeadline, pack(minDeadline, inQueue, Pending), true, true},
		{pack(90, inQueue, Pending), 50, pack(50, inQueue, Pending), true, false},
	} {
		t.Run(fmt.Sprintf("%s from %d to %d", says(row.from), row.from.deadline(), row.deadline), func(t *testing.T) {
			r := newRig(row.from)
			was, err := r.arm(r.tm, row.deadline)
			require.NoError(t, err)
			require.Equal(t, row.was, was)
			r.requireLeft(t, row.want, row.pushed)
			r.requireReserved(t, 1)
		})
	}
}

func TestArmOfAFullTimer(t *testing.T) {
	for _, row := range []struct {
		from, want word
		was        bool
		pushed     bool
		err        error
	}{
		{pack(0, alone, Idle), pack(50, alone, Rejected), false, false, ErrFull},
		{pack(9, alone, Expired), pack(50, alone, Rejected), false, false, ErrFull},
		{pack(9, inQueue, Expired), pack(50, inQueue, Rejected), false, false, ErrFull},
		{pack(9, alone, Cancelled), pack(50, alone, Rejected), false, false, ErrFull},
		{pack(9, inQueue, Cancelled), pack(50, inQueue, Rejected), false, false, ErrFull},
		{pack(9, alone, Rejected), pack(50, alone, Rejected), false, false, ErrFull},
		{pack(9, inQueue, Rejected), pack(50, inQueue, Rejected), false, false, ErrFull},
		// One that is pending has its place.
		{pack(9, alone, Pending), pack(50, alone, Pending), true, false, nil},
		{pack(90, alone, Pending), pack(50, inQueue, Pending), true, true, nil},
		{pack(9, inQueue, Pending), pack(50, inQueue, Pending), true, false, nil},
	} {
		t.Run(fmt.Sprintf("%s from %d", says(row.from), row.from.deadline()), func(t *testing.T) {
			r := newRig(row.from).full()
			was, err := r.arm(r.tm, 50)
			require.Equal(t, row.err, err)
			require.Equal(t, row.was, was)
			r.requireLeft(t, row.want, row.pushed)
			r.requireReserved(t, r.tm.maxPending)
		})
	}
}

func TestArmOfAStoppedTimer(t *testing.T) {
	for _, row := range []struct {
		from, want word
		was        bool
		err        error
		reserved   int64
	}{
		{pack(0, alone, Idle), pack(50, alone, Rejected), false, ErrStopped, 0},
		{pack(9, alone, Expired), pack(50, alone, Rejected), false, ErrStopped, 0},
		{pack(9, alone, Cancelled), pack(50, alone, Rejected), false, ErrStopped, 0},
		{pack(9, alone, Rejected), pack(50, alone, Rejected), false, ErrStopped, 0},
		{pack(90, alone, Pending), pack(50, alone, Rejected), true, ErrStopped, 0}, // before Stop has come to it
		{pack(9, alone, Pending), pack(50, alone, Pending), true, nil, 1},          // the same: Stop will
		{pack(90, inQueue, Pending), pack(50, inQueue, Pending), true, nil, 1},     // whoever pushes it will be refused
	} {
		t.Run(fmt.Sprintf("%s from %d", says(row.from), row.from.deadline()), func(t *testing.T) {
			r := newRig(row.from).stop()
			was, err := r.arm(r.tm, 50)
			require.Equal(t, row.err, err)
			require.Equal(t, row.was, was)
			r.requireLeft(t, row.want, false)
			r.requireReserved(t, row.reserved)
		})
	}
}

// TestTransition tables what each operation but arm does to a timeout with
// deadline 9, from every state.
func TestTransition(t *testing.T) {
	type operation struct {
		name string
		do   func(r rig) any
	}
	stop := operation{"Stop", func(r rig) any { return r.Stop() }}
	claim := operation{"claim", func(r rig) any { return r.claim(9) }}
	unqueue := operation{"unqueue", func(r rig) any { return show(r.unqueue()) }}
	cancel := operation{"cancel", func(r rig) any { return r.cancel() }}
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

		{unqueue, Idle, alone, Idle, alone, left(alone, Idle), !pushed},
		{unqueue, Idle, inQueue, Idle, alone, left(alone, Idle), !pushed},
		{unqueue, Pending, alone, Pending, alone, left(alone, Pending), !pushed},
		{unqueue, Pending, inQueue, Pending, alone, left(alone, Pending), !pushed},
		{unqueue, Expired, alone, Expired, alone, left(alone, Expired), !pushed},
		{unqueue, Expired, inQueue, Expired, alone, left(alone, Expired), !pushed},
		{unqueue, Cancelled, alone, Cancelled, alone, left(alone, Cancelled), !pushed},
		{unqueue, Cancelled, inQueue, Cancelled, alone, left(alone, Cancelled), !pushed},
		{unqueue, Rejected, alone, Rejected, alone, left(alone, Rejected), !pushed},
		{unqueue, Rejected, inQueue, Rejected, alone, left(alone, Rejected), !pushed},

		{cancel, Idle, alone, Idle, alone, false, !pushed},
		{cancel, Idle, inQueue, Idle, inQueue, false, !pushed},
		{cancel, Pending, alone, Cancelled, alone, true, !pushed},
		{cancel, Pending, inQueue, Cancelled, inQueue, true, !pushed}, // its producer is about to be refused
		{cancel, Expired, alone, Expired, alone, false, !pushed},
		{cancel, Expired, inQueue, Expired, inQueue, false, !pushed},
		{cancel, Cancelled, alone, Cancelled, alone, false, !pushed},
		{cancel, Cancelled, inQueue, Cancelled, inQueue, false, !pushed},
		{cancel, Rejected, alone, Rejected, alone, false, !pushed},
		{cancel, Rejected, inQueue, Rejected, inQueue, false, !pushed},

		{refuse, Idle, alone, Idle, alone, false, !pushed},
		{refuse, Idle, inQueue, Idle, alone, false, !pushed},
		{refuse, Pending, alone, Rejected, alone, true, !pushed},
		{refuse, Pending, inQueue, Rejected, alone, true, !pushed},
		{refuse, Expired, alone, Expired, alone, false, !pushed},
		{refuse, Expired, inQueue, Expired, alone, false, !pushed},
		{refuse, Cancelled, alone, Cancelled, alone, false, !pushed}, // somebody has said true to Stop
		{refuse, Cancelled, inQueue, Cancelled, alone, false, !pushed},
		{refuse, Rejected, alone, Rejected, alone, false, !pushed},
		{refuse, Rejected, inQueue, Rejected, alone, false, !pushed},
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
		(*Timeout).cancel,
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
