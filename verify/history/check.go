package main

import (
	"time"

	"github.com/anishathalye/porcupine"
)

// verdict is the result of checking a history.
type verdict struct {
	result porcupine.CheckResult
	points []event
	faults []string
}

// checkLimit is for one history; they take some microseconds.
const checkLimit = 10 * time.Second

// check holds a history against the specification.
func check(recorded []event, maxPending int, faults ...string) verdict {
	points := expand(recorded)
	result := porcupine.CheckOperationsTimeout(specification(maxPending), operations(points), checkLimit)
	return verdict{result, points, faults}
}

func (v verdict) isViolation() bool { return v.result == porcupine.Illegal || len(v.faults) > 0 }
