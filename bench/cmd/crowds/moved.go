package main

import (
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
)

var moved = load{
	name: "moved",
	what: "Idle timeouts in shuffled memory that were all armed for one tick of 10 ms, and all moved later before it " +
		"came. How late others are then: single timeouts that are due within a second about that tick, and a heartbeat of 10 ms.",
	cases: func(c config) []testCase {
		return []testCase{{name: numbers.Short(c.Moved) + " moved later", run: besideMoved}}
	},
}

func besideMoved(p peer, c config) []figure {
	around := min(500*time.Millisecond, c.MovedLead/2)
	t := p.open(hashedwheel.WithTick(10*time.Millisecond), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	idle, all := gather(t, c.Moved)
	singles, others := gather(t, c.Singles)
	idle.start = time.Now()
	singles.start = idle.start
	armEvenly(others, c.MovedLead-around, 2*around)
	armEvenly(all, c.MovedLead, 0)
	time.Sleep(50 * time.Millisecond) // for the wheel to file them where they are found later
	armEvenly(all, c.MovedLead+10*time.Minute, 10*time.Minute)
	took := time.Since(idle.start)
	runtime.GC()

	time.Sleep(idle.until(c.MovedLead - around))
	beat := startHeartbeat(t, 10*time.Millisecond)
	singles.wait(c.Singles, 2*around+silence)
	time.Sleep(idle.until(c.MovedLead + around))
	figures := singles.late.figures("singles late", time.Millisecond, 0.5, 0.99, 1)
	figures = append(figures, beat.end().figures("heartbeat late", time.Millisecond, 0.5, 0.99, 1)...)
	if took > c.MovedLead-around {
		figures[0].Mark = "(moved too late: a longer -lead)"
	}
	if idle.ran.Load() > 0 {
		figures[0].Mark = "(moved ones have run)"
	}
	runtime.KeepAlive(all)
	return figures
}
