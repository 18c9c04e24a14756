package main

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// Timer.Stop is to find timeouts wherever they can be: in the queue, in the
// wheel and in the batch they always are, in the backlog after a flood, and in the
// due list when there is a crowd.

// drop is one of a flood: a Timeout that is armed once, for the distant future.
// It has no account, to be armed faster than the worker files it.
type drop struct {
	life *life
	to   hashedwheel.Timeout
}

const (
	floodSize = 100_000 // takes the worker about 30 ms
	crowdSize = 500     // several batches
)

// flood arms so much that Timer.Stop will find a backlog.
func (l *life) flood() {
	if !l.lane.series {
		return // one lane has floods, that is enough
	}
	drops := make([]drop, floodSize)
	for i := range drops {
		drops[i].life = l
		drops[i].to.Init(l.tm, &drops[i])
	}
	at := time.Now().Add(l.far(1))
	for i := range drops {
		l.books.arm(fromOwner)
		drops[i].to.ResetAt(at)
	}
	time.Sleep(2 * l.tick) // until the worker drains
}

// Run is called for what Timer.Stop returned only.
func (d *drop) Run(*hashedwheel.Timeout) {
	if d.life.reckoning.Load() {
		d.life.books.settle(fromOwner, returned)
		return
	}
	d.life.fault("a task ran before its deadline", "one of a flood")
}

// crowd arms many for one tick, of which the first that runs stops the timer.
func (l *life) crowd() {
	l.crowded.Store(true) // no slow task: the worker meets the crowd in time
	at := time.Now().Add(max(10*l.tick, 50*time.Millisecond))
	for range crowdSize {
		a := &account{life: l, kind: fromAfterFunc, stops: true}
		a.afterFunc(time.Until(at))
	}
}
