package main

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
)

// config scales the loads. It is passed on to child processes as JSON.
type config struct {
	Storm      time.Duration // how long a storm lasts
	Goroutines []int         // that make a storm
	Guard      uint64        // bytes of heap at which a storm is called off

	Sessions []plan

	Moved     int           // idle timeouts that are moved later
	MovedLead time.Duration // until the tick for which they were armed
	Singles   int           // others that are due about then

	Hold     int           // pending while the lock is asked for
	HoldFor  time.Duration // how long it is
	HoldLead time.Duration // until the first of them is due

	Stop     []int // pending when the timer is stopped
	Waiters  int   // goroutines that wait for one channel
	WaitLead time.Duration
	Quiet    int           // cycles of a Reset and a Stop
	Limit    time.Duration // after which a case hangs
}

// plan is a crowd of sessions: how many, when they are due, and on which wheel.
type plan struct {
	N            int
	Window, Lead time.Duration // they are due evenly within Window, which begins after Lead
	Tick         time.Duration
	Wheel        int
}

func (p plan) String() string {
	return fmt.Sprintf("%s within %v after %v, tick %v, wheel %d", numbers.Short(p.N), p.Window, p.Lead, p.Tick, p.Wheel)
}

// full is the configuration whose figures are worth quoting. A lead of 70 s is
// three rings away for wheels of 1 and 64 buckets at a tick of 1 ms, and for one
// of 512 at 100 µs.
func full() config {
	const ms = time.Millisecond
	return config{
		Storm:      6 * time.Second,
		Goroutines: []int{2, 8, 24, 64, 256},
		Guard:      6 << 30,
		Sessions: []plan{
			{1e6, time.Second, 20 * time.Second, ms, 512},
			{1e6, time.Second, 20 * time.Second, ms, 64},
			{1e6, time.Second, 20 * time.Second, ms, 1},
			{5e6, time.Minute, 20 * time.Second, ms, 512},
			{5e6, time.Minute, 20 * time.Second, ms, 64},
			{5e6, time.Minute, 20 * time.Second, ms, 1},
			{1e6, time.Second, 70 * time.Second, ms, 64},
			{1e6, time.Second, 70 * time.Second, ms, 1},
			{1e6, time.Second, 70 * time.Second, ms / 10, 512},
		},
		Moved: 1e6, MovedLead: 10 * time.Second, Singles: 1e4,
		Hold: 1e7, HoldFor: 40 * time.Second, HoldLead: 20 * time.Second,
		Stop:    []int{1e6, 1e7},
		Waiters: 1e5, WaitLead: 3 * time.Second,
		Quiet: 200,
		Limit: 5 * time.Minute,
	}
}

// small is a hundredth of it, to see that everything runs.
func small() config {
	c := full()
	c.Storm, c.HoldFor = 100*time.Millisecond, 200*time.Millisecond
	for i := range c.Sessions {
		p := &c.Sessions[i]
		p.N, p.Window, p.Lead = p.N/100, p.Window/10, p.Lead/100
	}
	c.Moved, c.MovedLead, c.Singles = 1e4, 600*time.Millisecond, 100
	c.Hold, c.HoldLead = 1e5, 100*time.Millisecond
	c.Stop = []int{1e4, 1e5}
	c.Waiters, c.WaitLead = 1e3, 600*time.Millisecond
	c.Quiet, c.Limit = 10, 20*time.Second
	return c
}

// config is what the command line asks for.
func (o options) config() config {
	c := full()
	if o.short {
		c = small()
	}
	if o.length > 0 {
		c.Storm, c.HoldFor = o.length, o.length
	}
	if o.n > 0 {
		c.Moved, c.Hold, c.Stop, c.Waiters = o.n, o.n, []int{o.n}, o.n
	}
	if o.lead > 0 {
		c.MovedLead, c.HoldLead = o.lead, o.lead
	}
	for i := range c.Sessions {
		o.change(&c.Sessions[i])
	}
	c.Sessions = unique(c.Sessions)
	return c
}

func (o options) change(p *plan) {
	if o.n > 0 {
		p.N = o.n
	}
	if o.lead > 0 {
		p.Lead = o.lead
	}
	if o.window > 0 {
		p.Window = o.window
	}
}

// unique drops the plans that the command line has made the same as one before.
func unique(plans []plan) (kept []plan) {
	seen := map[plan]bool{}
	for _, p := range plans {
		if !seen[p] {
			seen[p] = true
			kept = append(kept, p)
		}
	}
	return kept
}
