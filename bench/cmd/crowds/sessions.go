package main

import (
	"fmt"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

var sessions = load{
	name: "sessions",
	what: "Very many timeouts in shuffled memory, due evenly within a window: how late each runs. Ours run Inline, " +
		"those of package time in goroutines. Beside: a heartbeat of 1 ms by package time in the same process meanwhile, which shows " +
		"what the machine itself does to whoever waits; ours are up to a tick later than that.",
	cases: func(c config) (cases []testCase) {
		for _, p := range c.Sessions {
			cases = append(cases, testCase{
				name:     p.String(),
				oursOnly: p.Wheel != 512 || p.Tick != time.Millisecond, // package time has no wheel
				run:      func(who peer, _ config) []figure { return p.run(who) },
			})
		}
		return cases
	},
}

// silence is how long a timer may be still before what is missing counts as lost.
const silence = 10 * time.Second

func (p plan) run(who peer) []figure {
	t := who.open(hashedwheel.WithTick(p.Tick), hashedwheel.WithWheelSize(p.Wheel), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	c, all := gather(t, p.N)
	c.start = time.Now()
	armEvenly(all, p.Lead, p.Window)
	armed := time.Since(c.start)
	runtime.GC()
	time.Sleep(c.until(p.Lead))
	beside := startHeartbeat(std{}, time.Millisecond)
	ok := c.wait(p.N, p.Window+silence)
	figures := append(c.late.figures("late", time.Millisecond, 0.5, 0.99, 1),
		beside.end().figures("beside", time.Millisecond, 0.99, 1)...)
	figures = append(figures, figure{Name: "arming took, s", Value: armed.Seconds()})
	if !ok {
		figures[0].Mark = fmt.Sprintf("(%d lost)", p.N-int(c.ran.Load()))
	}
	if armed > p.Lead {
		figures[0].Mark = "(armed too late: a longer -lead)"
	}
	runtime.KeepAlive(all)
	return figures
}
