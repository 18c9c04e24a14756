package main

import (
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/bench/numbers"
)

var waiters = load{
	name: "waiters",
	what: "Goroutines that wait for a channel to be closed: one that all share (package time: closed by AfterFunc), or " +
		"one that each has asked for by After. How late they wake, and how late a heartbeat of 1 ms on the same timer is " +
		"from half a second before until half a second after. Tick 1 ms.",
	cases: func(c config) []testCase {
		n := numbers.Short(c.Waiters)
		return []testCase{
			{name: n + " on one channel", run: func(p peer, c config) []figure { return waitTogether(p, c, oneChannel) }},
			{name: n + ", After of each", run: func(p peer, c config) []figure { return waitTogether(p, c, afterOfEach) }},
		}
	},
}

// waiting returns a function that waits until a moment of the crowd's.
type waiting func(t timer, c *crowd, moment time.Duration) (wait func())

func oneChannel(t timer, c *crowd, moment time.Duration) func() {
	closed := t.after(c.until(moment))
	return func() { <-closed }
}

func afterOfEach(t timer, c *crowd, moment time.Duration) func() {
	if w, ok := t.(wheel); ok {
		return func() { <-w.After(c.until(moment)) }
	}
	return func() { <-time.After(c.until(moment)) }
}

func waitTogether(p peer, config config, how waiting) []figure {
	around := min(500*time.Millisecond, config.WaitLead/2)
	t := p.open(hashedwheel.WithTick(time.Millisecond))
	c := &crowd{start: time.Now()}
	wait := how(t, c, config.WaitLead)
	for range config.Waiters {
		go func() {
			wait()
			c.run(config.WaitLead)
		}()
	}
	started := time.Since(c.start)
	time.Sleep(c.until(config.WaitLead - around))
	beat := startHeartbeat(t, time.Millisecond)
	c.wait(config.Waiters, config.WaitLead+silence)
	time.Sleep(around)
	figures := append(c.late.figures("waiters late", time.Millisecond, 0.5, 1),
		beat.end().figures("heartbeat late", time.Millisecond, 0.5, 0.99, 1)...)
	if started > config.WaitLead-around {
		figures[0].Mark = "(started too late)"
	}
	return figures
}
