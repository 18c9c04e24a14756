package main

import (
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// mischief is the value that tasks panic with.
type mischief struct{}

// misbehave is the rest of a task after its run is booked: mostly nothing, otherwise anything that
// a task may do, and some things that it had better not.
func (l *life) misbehave(a *account) {
	if a.stops || l.anyStops.Load() {
		l.stopTimer()
	}
	if l.closing.Load() || l.crowded.Load() {
		return
	}
	dice := l.roll()
	switch n := dice % 1000; {
	case n < 200:
		a.reset(l.soon(dice))
	case n < 300:
		l.someAccount(dice).reset(l.soon(dice))
	case n < 400:
		l.someAccount(dice).stop()
	case n < l.slowBelow(dice):
		l.slow.Add(1)
		time.Sleep(3 * l.tick)
	case n < 415:
		l.panics.Add(1)
		panic(mischief{})
	case n < 425:
		l.exits.Add(1)
		runtime.Goexit()
	}
}

// slowBelow is below which roll of misbehave a task is slow. With Inline, where it
// holds all others up, that is so for one in five of them alone.
func (l *life) slowBelow(dice uint64) uint64 {
	if l.lane.executor == "inline" && dice>>32%5 != 0 {
		return 400
	}
	return 405
}

// recoverTask is the timer's panic handler.
func (l *life) recoverTask(_ *hashedwheel.Timeout, recovered any) {
	if recovered != any(mischief{}) {
		panic(recovered) // not a task's: a bug of the library, or of this program
	}
	l.recovered.Add(1)
}

func (l *life) someAccount(dice uint64) *ownAccount {
	return &l.accounts[dice/1000%uint64(len(l.accounts))]
}

// soon is a delay of up to 20 ticks, now and then of none.
func (l *life) soon(dice uint64) time.Duration {
	return time.Duration(dice%uint64(21*l.tick)) - l.tick
}

// far is a delay that outlasts the life, now and then by so much that it is never.
func (l *life) far(dice uint64) time.Duration {
	if dice%512 == 0 {
		return 1<<63 - 1
	}
	return 2*l.span + l.patience + time.Duration(dice%uint64(time.Hour))
}
