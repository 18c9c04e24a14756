package peers

import (
	"sync/atomic"
	"time"

	"github.com/antlabs/timer"
)

var antlabsWheel = Peer{
	Name:   "antlabs-wheel",
	Module: "github.com/antlabs/timer",
	What:   "five-level wheel",
	Cannot: "rounds down from a tick that falls behind under load, so fires early by a tick or more; a tick of 10 ms and no other; " +
		"its Reset blocks for ever when the slot stays the same, and is marked unstable: stopped and armed anew",
	Least: 10 * time.Millisecond,
	Fixed: true,
	Open:  func(time.Duration) Timer { return openAntlabs(timer.WithTimeWheel()) },
}

var antlabsHeap = Peer{
	Name:   "antlabs-heap",
	Module: "github.com/antlabs/timer",
	What:   "binary heap behind one lock",
	Cannot: "stopping or moving a timeout that is not pending removes or moves another one, or panics; " +
		"so moved by Reset while pending, else armed anew",
	Open: func(time.Duration) Timer { return antlabsHeapTimer{openAntlabs(timer.WithMinHeap())} },
}

type antlabsTimer struct{ tm timer.Timer }

func openAntlabs(o timer.Option) antlabsTimer {
	t := antlabsTimer{timer.NewTimer(o)}
	go t.tm.Run()
	time.Sleep(10 * time.Millisecond) // the wheel takes its time in Run, not in NewTimer
	return t
}

func (t antlabsTimer) Arm(d time.Duration, f func()) Armed { return t.tm.AfterFunc(d, f) }

func (t antlabsTimer) Close() { t.tm.Stop() }

type antlabsHeapTimer struct{ antlabsTimer }

func (t antlabsHeapTimer) Own(f func()) Owned {
	o := &antlabsOwned{tm: t.tm}
	o.f = func() {
		o.pending.Store(false)
		f()
	}
	return o
}

type antlabsOwned struct {
	tm      timer.Timer
	f       func()
	node    timer.TimeNoder
	pending atomic.Bool // cleared when it fires
}

func (o *antlabsOwned) Reset(d time.Duration) bool {
	if o.pending.Load() {
		return o.node.Reset(d)
	}
	o.pending.Store(true)
	o.node = o.tm.AfterFunc(d, o.f)
	return false
}

func (o *antlabsOwned) Stop() bool { return o.pending.CompareAndSwap(true, false) && o.node.Stop() }
