package hashedwheel

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWordKeepsDeadlineFlagAndStateApart(t *testing.T) {
	for _, deadline := range []int64{minDeadline, minDeadline + 1, -1, 0, 1, 15, 16, maxDeadline - 1, maxDeadline} {
		for s := Idle; s <= tooLate; s++ {
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
	for s := Idle; s <= tooLate; s++ {
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
		tm.room.reserve()
	}
	return r
}

func (r rig) stop() rig { r.tm.queue.close(); return r }
func (r rig) full() rig { r.tm.room.reserved.Store(r.tm.room.max); return r }

// requireLeft checks how the operation left the timeout: its word, whether it
// was pushed, and that exactly the pending hold a reservation.
func (r rig) requireLeft(t *testing.T, want word, pushed bool) {
	t.Helper()
	require.Equal(t, show(want), show(r.load()))
	require.Equal(t, pushed, r.tm.queue.take() != nil, "pushed")
}

func (r rig) requireReserved(t *testing.T, n int64) {
	t.Helper()
	require.Equal(t, n, r.tm.room.reserved.Load(), "reserved")
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
		{pack(9, alone, tooLate), 50, pack(50, inQueue, Pending), false, true},

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
			require.Equal(t, row.was, r.tm.arm(r.Timeout, row.deadline))
			require.NoError(t, r.Err())
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
			require.Equal(t, row.was, r.tm.arm(r.Timeout, 50))
			require.Equal(t, row.err, r.Err())
			r.requireLeft(t, row.want, row.pushed)
			r.requireReserved(t, r.tm.room.max)
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
		{pack(0, alone, Idle), pack(50, alone, tooLate), false, ErrStopped, 0},
		{pack(9, alone, Expired), pack(50, alone, tooLate), false, ErrStopped, 0},
		{pack(9, alone, Cancelled), pack(50, alone, tooLate), false, ErrStopped, 0},
		{pack(9, alone, Rejected), pack(50, alone, tooLate), false, ErrStopped, 0},
		{pack(9, alone, tooLate), pack(50, alone, tooLate), false, ErrStopped, 0},
		{pack(90, alone, Pending), pack(50, alone, tooLate), true, ErrStopped, 0}, // before Stop has come to it
		{pack(9, alone, Pending), pack(50, alone, Pending), true, nil, 1},         // the same: Stop will
		{pack(90, inQueue, Pending), pack(50, inQueue, Pending), true, nil, 1},    // whoever pushes it will be refused
	} {
		t.Run(fmt.Sprintf("%s from %d", says(row.from), row.from.deadline()), func(t *testing.T) {
			r := newRig(row.from).stop()
			require.Equal(t, row.was, r.tm.arm(r.Timeout, 50))
			require.Equal(t, row.err, r.Err())
			r.requireLeft(t, row.want, false)
			r.requireReserved(t, row.reserved)
		})
	}
}
