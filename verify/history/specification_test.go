package main

import (
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
)

// The rows of the tables are histories written by hand: from when to when a call lasted, its
// arguments and results.

func during(call, ret int64, e event) event {
	e.call, e.ret = call, ret
	return e
}

func of(timeout int, e event) event {
	e.timeout = timeout
	return e
}

func arms(deadline int64) event  { return armsWithin(deadline, deadline) }
func moves(deadline int64) event { return event{what: reset, lo: deadline, hi: deadline, yes: true} }
func tries(deadline int64, was bool) event {
	return event{what: move, lo: deadline, hi: deadline, yes: was}
}
func stops() event        { return event{what: stop, yes: true} }
func stopsNothing() event { return event{what: stop} }
func sees(s hashedwheel.State) event {
	return event{what: state, state: s}
}

func armsWithin(lo, hi int64) event { return event{what: reset, lo: lo, hi: hi} }

func schedules(deadline int64, told refusal) event {
	return event{what: schedule, lo: deadline, hi: deadline, told: told}
}

func afterFuncs(deadline int64) event { return event{what: afterFunc, lo: deadline, hi: deadline} }
func reads(at int64) event            { return event{what: deadline, yes: true, lo: at, hi: at} }
func readsZero() event                { return event{what: deadline} }
func runs(at int64) event             { return event{what: run, client: worker, ret: at} }

// timerStops returns each timeout as often as in has it.
func timerStops(in ...uint8) event {
	e := event{what: timerStop}
	copy(e.in[:], in)
	return e
}

type row struct {
	history string
	calls   []event
	want    bool // whether the promises allow it
}

const (
	allowed = true
	illegal = false
)

func (r row) test(t *testing.T, maxPending int) {
	t.Run(r.history, func(t *testing.T) {
		want := porcupine.Illegal
		if r.want {
			want = porcupine.Ok
		}
		assert.Equal(t, want, check(r.calls, maxPending).result)
	})
}

func testRows(t *testing.T, maxPending int, rows []row) {
	for _, r := range rows {
		r.test(t, maxPending)
	}
}

func TestSpecificationOfMove(t *testing.T) {
	testRows(t, 0, []row{
		{"it moves a pending arming", []event{
			during(0, 9, arms(100)), during(10, 19, tries(200, true)), runs(200),
		}, allowed},
		{"it moves and the task runs before", []event{
			during(0, 9, arms(100)), during(10, 19, tries(200, true)), runs(150),
		}, illegal},
		{"it arms nothing", []event{
			during(0, 9, tries(100, false)), during(10, 19, sees(hashedwheel.Unarmed)),
		}, allowed},
		{"it arms", []event{during(0, 9, tries(100, false)), runs(100)}, illegal},
		{"it claims to have moved nothing", []event{during(0, 9, tries(100, true))}, illegal},
		{"it changes the deadline of a settled timeout", []event{
			during(0, 9, arms(100)), during(10, 19, stops()), during(20, 29, tries(200, false)),
			during(30, 39, reads(200)),
		}, illegal},
		{"it races with the expiry and loses", []event{
			during(0, 9, arms(100)), during(90, 110, tries(200, false)), runs(105),
		}, allowed},
		{"it races with the expiry and says that it won", []event{
			during(0, 9, arms(100)), during(90, 110, tries(200, true)), runs(105),
		}, illegal},
	})
}

func TestSpecificationOfExpiry(t *testing.T) {
	testRows(t, 0, []row{
		{"it runs at its deadline", []event{during(0, 9, arms(100)), runs(100)}, allowed},
		{"it runs long after", []event{during(0, 9, arms(100)), runs(9999)}, allowed},
		{"it runs early", []event{during(0, 9, arms(100)), runs(99)}, illegal},
		{"it runs early by more than is known of the deadline", []event{
			during(0, 9, armsWithin(100, 109)), runs(99),
		}, illegal},
		{"it runs twice", []event{during(0, 9, arms(100)), runs(100), runs(200)}, illegal},
		{"it runs once for each arming", []event{
			during(0, 9, arms(100)), runs(100), during(101, 109, arms(200)), runs(200),
		}, allowed},
		{"the first run begins after the second arming", []event{
			during(0, 9, arms(10)), during(50, 59, arms(60)), runs(61), runs(62),
		}, allowed},
		{"it runs though nobody armed it", []event{during(0, 9, sees(hashedwheel.Unarmed)), runs(100)}, illegal},
		{"it is Expired, and no task has begun", []event{
			during(0, 9, arms(100)), during(200, 209, sees(hashedwheel.Expired)),
		}, illegal},
		{"it is Expired before its task begins", []event{
			during(0, 9, arms(100)), during(105, 109, sees(hashedwheel.Expired)), runs(110),
		}, allowed},
		{"it is Expired before its deadline", []event{
			during(0, 9, arms(100)), during(80, 99, sees(hashedwheel.Expired)), runs(110),
		}, illegal},
		{"it is Expired before the deadline it was moved to", []event{
			during(0, 9, arms(20)), during(10, 15, moves(100)), during(80, 99, sees(hashedwheel.Expired)), runs(110),
		}, illegal},
		{"it is Pending after its task has begun", []event{
			during(0, 9, arms(100)), runs(110), during(111, 119, sees(hashedwheel.Pending)),
		}, illegal},
	})
}

func TestSpecificationOfReset(t *testing.T) {
	testRows(t, 0, []row{
		{"it is moved later and runs then", []event{
			during(0, 9, arms(100)), during(50, 59, moves(200)), runs(200),
		}, allowed},
		{"it is moved later and runs at the earlier time", []event{
			during(0, 9, arms(100)), during(50, 59, moves(200)), runs(150),
		}, illegal},
		{"it is moved earlier and runs then", []event{
			during(0, 9, arms(200)), during(50, 59, moves(100)), runs(100),
		}, allowed},
		{"a Reset that says false leaves no arming behind", []event{
			during(0, 9, arms(100)), during(105, 109, arms(200)), runs(110), runs(200),
		}, allowed},
		{"a Reset says false for what is pending", []event{
			during(0, 9, arms(100)), during(50, 59, arms(200)), runs(200),
		}, illegal},
		{"a Reset says true for what has expired", []event{
			during(0, 9, arms(100)), runs(100), during(110, 119, moves(200)), runs(200),
		}, illegal},
		{"a Reset says true for what was stopped", []event{
			during(0, 9, arms(100)), during(20, 29, stops()), during(50, 59, moves(200)), runs(200),
		}, illegal},
		{"two Resets at once begin one arming", []event{
			during(0, 9, arms(100)), during(5, 8, moves(110)), runs(120),
		}, allowed},
		{"two Resets at once begin an arming each", []event{
			during(0, 9, arms(100)), during(5, 8, arms(110)), runs(120), runs(121),
		}, illegal},
		{"Deadline is that of the last arming", []event{
			during(0, 9, arms(200)), during(50, 59, moves(100)), during(60, 69, reads(100)), during(70, 79, stops()),
		}, allowed},
		{"Deadline is that of an earlier arming", []event{
			during(0, 9, arms(200)), during(50, 59, moves(100)), during(60, 69, reads(200)), during(70, 79, stops()),
		}, illegal},
		{"Deadline is zero before the first arming", []event{
			during(0, 9, readsZero()), during(10, 19, arms(100)), runs(100),
		}, allowed},
		{"Deadline is zero after it", []event{
			during(0, 9, arms(100)), during(10, 19, readsZero()), runs(100),
		}, illegal},
		{"it runs before what Deadline has said", []event{
			during(0, 9, armsWithin(100, 109)), during(20, 29, reads(108)), runs(105),
		}, illegal},
	})
}

func TestSpecificationOfStop(t *testing.T) {
	testRows(t, 0, []row{
		{"it is stopped and does not run", []event{during(0, 9, arms(100)), during(50, 59, stops())}, allowed},
		{"it is stopped and runs", []event{during(0, 9, arms(100)), during(50, 59, stops()), runs(110)}, illegal},
		{"it runs and a Stop says true", []event{
			during(0, 9, arms(100)), runs(100), during(150, 159, stops()),
		}, illegal},
		{"a Stop comes between deadline and task, and says true", []event{
			during(0, 9, arms(100)), during(105, 109, stops()), runs(110),
		}, illegal},
		{"a Stop comes between deadline and task, and says false", []event{
			during(0, 9, arms(100)), during(105, 109, stopsNothing()), runs(110),
		}, allowed},
		{"a Stop says false before the deadline", []event{
			during(0, 9, arms(100)), during(50, 59, stopsNothing()), runs(110),
		}, illegal},
		{"a Stop that says false, and there is no run", []event{
			during(0, 9, arms(100)), during(105, 109, stopsNothing()),
		}, illegal},
		{"two Stops at once, one says true", []event{
			during(0, 9, arms(100)), during(50, 59, stops()), during(50, 59, stopsNothing()),
		}, allowed},
		{"two Stops at once say true", []event{
			during(0, 9, arms(100)), during(50, 59, stops()), during(50, 59, stops()),
		}, illegal},
		{"it is Canceled", []event{
			during(0, 9, arms(100)), during(50, 59, stops()), during(60, 69, sees(hashedwheel.Canceled)),
		}, allowed},
		{"it is Canceled during the Stop", []event{
			during(0, 9, arms(100)), during(50, 59, stops()), during(52, 53, sees(hashedwheel.Canceled)),
			during(54, 55, sees(hashedwheel.Pending)),
		}, illegal},
		{"it is Pending after the Stop", []event{
			during(0, 9, arms(100)), during(50, 59, stops()), during(60, 69, sees(hashedwheel.Pending)),
		}, illegal},
		{"two calls see two orders", []event{
			during(0, 9, arms(100)), during(50, 90, stops()), during(51, 59, sees(hashedwheel.Canceled)),
			during(60, 69, moves(200)), runs(200),
		}, illegal},
	})
}
