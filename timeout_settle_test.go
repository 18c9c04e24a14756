package hashedwheel

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Each operation except arm (see TestArm), on a timeout with deadline 9, from every state.
func TestTransitionsFromEveryState(t *testing.T) {
	type operation struct {
		name string
		do   func(r rig) any
	}
	stop := operation{"Stop", func(r rig) any { return r.Stop() }}
	claim := operation{"claim", func(r rig) any { return r.claim(9) }}
	claimEarly := operation{"early claim", func(r rig) any { return r.claim(8) }}
	// unqueue is called only if the timeout is queued, see TestUnqueuePanicsIfTheTimeoutIsNotQueued.
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

// In a list that leads into itself, unqueue meets a timeout twice. It must panic, since the list has no
// end.
func TestUnqueuePanicsIfTheTimeoutIsNotQueued(t *testing.T) {
	for s := Unarmed; s <= over; s++ {
		r := newRig(pack(9, alone, s))
		const message = "hashedwheel: Timeout of a hashedwheel.newRig.func1 was copied or overwritten " +
			"after it was armed"
		assert.PanicsWithValue(t, message, func() { r.unqueue() }, s)
	}
}
