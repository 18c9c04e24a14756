package main

import (
	"math/rand/v2"
	"runtime"
	"runtime/debug"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
)

var hold = load{
	name: "hold",
	what: "How long a goroutine waits that asks for the timer's lock all the time, while timeouts in shuffled memory " +
		"become due, others are armed, stopped and moved, and Stats, Pending and Sample are called. Beside: the longest that " +
		"the same goroutine took for a microsecond of work without the lock, which is what the machine adds. A wait counts once for each microsecond that it goes on. The collector is off meanwhile.",
	cases: func(c config) []testCase {
		return []testCase{{name: numbers.Short(c.Hold) + " pending", oursOnly: true, run: holdLock}}
	},
}

// askForLock returns a call that takes the lock and does as little as possible
// under it: Next, where there is one. Stats drains the queue first.
func askForLock(tm *hashedwheel.Timer) (ask func(), name string) {
	if n, ok := any(tm).(interface{ Next() (time.Time, bool) }); ok {
		return func() { n.Next() }, "Next"
	}
	return func() { tm.Stats() }, "Stats"
}

func holdLock(_ peer, c config) []figure {
	tm := ours(hashedwheel.WithTick(time.Millisecond), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	crowd, all := gather(wheel{tm}, c.Hold)
	crowd.start = time.Now()
	armEvenly(all, c.HoldLead, time.Minute)
	runtime.GC()
	debug.SetGCPercent(-1)

	var over atomic.Bool
	go armAndStop(tm, &over)
	go moveAbout(crowd, all, &over)
	go lookAround(tm, &over)
	var waited, beside histogram
	ask, by := askForLock(tm)
	const turn = time.Microsecond
	work := iterations(turn)
	for start := time.Now(); time.Since(start) < c.HoldFor; {
		asked := time.Now()
		ask()
		got := time.Now()
		spin(work)
		waited.addStall(got.Sub(asked), turn)
		beside.addStall(time.Since(got), turn)
	}
	over.Store(true)
	figures := waited.figures("wait", time.Microsecond, 0.5, 0.9999, 1)
	figures[0].Mark = "(by " + by + ")"
	figures = append(figures, beside.figures("without the lock", time.Microsecond, 0.9999, 1)...)
	return append(figures, figure{Name: "came due", Value: float64(crowd.ran.Load())})
}

// Those beside work a part of the time: if they took all the processors, that
// would be what is measured.
const (
	burst = 1000 // calls
	pause = time.Millisecond
)

// armAndStop leaves no garbage: nobody collects it.
func armAndStop(tm *hashedwheel.Timer, over *atomic.Bool) {
	var own [burst]hashedwheel.Timeout
	for i := range own {
		own[i].Init(tm, nopTask)
	}
	for ; !over.Load(); time.Sleep(pause) {
		for i := range own {
			own[i].Reset(deadline)
			own[i].Stop()
		}
	}
}

// moveAbout moves random ones, to anywhere from a few seconds to two minutes on.
func moveAbout(c *crowd, all []member, over *atomic.Bool) {
	for ; !over.Load(); time.Sleep(pause) {
		now := time.Since(c.start)
		for range burst {
			all[rand.IntN(len(all))].arm(now + 2*time.Second + rand.N(2*time.Minute))
		}
	}
}

func lookAround(tm *hashedwheel.Timer, over *atomic.Bool) {
	sampler, _ := any(tm).(interface {
		Sample(n int) []*hashedwheel.Timeout
	})
	for ; !over.Load(); time.Sleep(10 * time.Millisecond) {
		tm.Stats()
		tm.Pending()
		if sampler != nil {
			sampler.Sample(1000)
		}
	}
}
