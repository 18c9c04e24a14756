package main

import (
	"math"

	"github.com/anishathalye/porcupine"
)

// expand turns the record into the events of the specification: single points of single timeouts,
// each somewhere between a call and its return. It also sets, in recorded, when each expiry can
// have begun.
func expand(recorded []event) (points []event) {
	firstStop := int64(math.MaxInt64)
	for _, e := range recorded {
		if e.what == timerStop {
			firstStop = min(firstStop, e.call)
		}
	}
	var seen, refusable [maxTimeouts]bool
	for _, e := range recorded {
		if e.what != timerStop {
			seen[e.timeout] = true
			refusable[e.timeout] = refusable[e.timeout] || e.arms() && e.ret >= firstStop
		}
	}
	beginRuns(recorded)
	for i, e := range recorded {
		if e.what == timerStop {
			points = append(points, ofTimerStop(e, seen, refusable)...)
			continue
		}
		if e.arms() {
			e.slack = underWay(recorded, i)
		}
		e.met = e.ret >= firstStop && (e.what == reset || (e.what == move || e.what == stop) && e.yes)
		points = append(points, e)
		if e.met {
			points = append(points, event{what: settle, timeout: e.timeout, client: e.client, call: e.call, ret: e.ret})
		}
	}
	return points
}

// beginRuns sets the earliest time at which each task can have been handed out: the first deadline
// of its timeout. This only spares the checker hopeless orders.
func beginRuns(recorded []event) {
	var deadlines [maxTimeouts]int64
	for i := range deadlines {
		deadlines[i] = math.MaxInt64
	}
	for _, e := range recorded {
		if e.arms() {
			deadlines[e.timeout] = min(deadlines[e.timeout], max(e.lo, 0))
		}
	}
	for i, e := range recorded {
		if e.what == run {
			recorded[i].call = min(deadlines[e.timeout], e.ret)
		}
	}
}

// ofTimerStop returns the two points of a Timer.Stop for each timeout: between them an arming may
// be refused, or be in the result. If no arming comes that late, the first makes no difference.
func ofTimerStop(e event, seen, refusable [maxTimeouts]bool) (points []event) {
	for timeout := range maxTimeouts {
		e.timeout = timeout
		if refusable[timeout] {
			e.what = closing
			points = append(points, e)
		}
		if seen[timeout] || e.in[timeout] > 0 {
			e.what = collect
			points = append(points, e)
		}
	}
	return points
}

// underWay returns how many other calls overlap the i-th: a bound on the places of WithMaxPending
// that calls hold and are about to give back.
func underWay(recorded []event, i int) (n int) {
	for j, other := range recorded {
		if j != i && other.what != state && other.what != deadline && recorded[i].overlaps(other) {
			n++
		}
	}
	return n
}

func operations(points []event) []porcupine.Operation {
	ops := make([]porcupine.Operation, len(points))
	for i, e := range points {
		ops[i] = porcupine.Operation{Input: e, Call: e.call, Return: e.ret}
	}
	return ops
}
