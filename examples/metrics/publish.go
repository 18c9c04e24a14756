package main

import (
	"encoding/json"
	"expvar"
	"sync/atomic"

	"github.com/hashedwheel/hashedwheel"
)

// publish publishes the Stats of a timer under a name. Publishing another timer under the same name
// replaces the first; expvar cannot remove a variable. Stats costs as much as Pending, which is
// fine for a page that is read every few seconds.
func publish(name string, tm *hashedwheel.Timer) {
	v, ok := expvar.Get(name).(*timerVar)
	if !ok {
		v = new(timerVar)
		v.timer.Store(tm) // before Publish, as it may be read at once
		expvar.Publish(name, v)
	}
	v.timer.Store(tm)
}

// timerVar is an expvar.Var.
type timerVar struct {
	timer atomic.Pointer[hashedwheel.Timer]
}

// String returns the Stats as JSON, with durations in nanoseconds.
func (v *timerVar) String() string {
	b, err := json.Marshal(v.timer.Load().Stats())
	if err != nil {
		return "null" // never: Stats holds only numbers
	}
	return string(b)
}
