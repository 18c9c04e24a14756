// Heartbeat is a monitor that watches peers over TCP, and says who has died.
//
// Every peer has one series on a hashedwheel.Timer that does all it does: a run
// connects if there is no connection, then sends a beat. The runs are due on a
// fixed grid, so beats do not drift apart from the clock. A run that hangs in a
// slow dial makes the next be skipped: there is never a second one beside it, and
// no burst of beats after it.
//
// The monitor has a Timeout in each connection and moves it at every beat. The
// connection of a peer that was silent for too long expires, and the peer is dead.
//
// First all peers beat. Then the monitor has an outage: it hangs up on everybody
// for a while, and all must come back by themselves. At last every second peer
// dies without a word, as a machine does that loses its power: its connection
// stays open. In the table at the end, look at
//
//   - "noticed dead" against "died": all of them, and nobody else;
//   - "noticed late by": never below zero, up to one tick, and what the machine adds;
//   - "beats after their time": the same, after the last beat as after the first.
//
// The exit status is 1 if a death was noticed early or not at all, or if a peer
// did not come back.
//
// Read peer.go for Every, monitor.go for the timeouts; report.go is the table.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/examples/internal/example"
)

// grace is how long something may take beyond its time before it counts as not
// done: a busy machine may be late.
const grace = 2 * time.Second

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

// run is main with everything passed in. It returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	var c config
	return example.Program{
		Name:  "heartbeat",
		Flags: c.flags,
		Check: c.check,
		Show:  c.show,
		Held:  "every death was noticed in time, and everybody else came back",
	}.Run(args, stdout, stderr)
}

// show runs all and prints what came of it.
func (c *config) show(stdout io.Writer) error {
	r, err := beatAndWatch(*c, stdout)
	if err != nil {
		return err
	}
	r.print(stdout)
	return r.verdict()
}

type config struct {
	peers                int
	every, timeout, tick time.Duration
}

func (c *config) flags(flags *flag.FlagSet) {
	flags.IntVar(&c.peers, "peers", 100, "`number` of peers; every second one dies")
	flags.DurationVar(&c.every, "every", 100*time.Millisecond, "`time` between two beats")
	flags.DurationVar(&c.timeout, "timeout", 500*time.Millisecond, "a peer that was silent for this `time` is dead")
	flags.DurationVar(&c.tick, "tick", 5*time.Millisecond, "the timer's tick, a `time`: how late a beat or a notice may be")
}

// check returns an error that names the first flag that is wrong, and its value.
func (c *config) check() error {
	switch {
	case c.peers < 2:
		return fmt.Errorf("-peers %d: must be at least 2, one to live and one to die", c.peers)
	case c.every < time.Millisecond || c.every > 200*time.Millisecond:
		return fmt.Errorf("-every %v: must be from 1ms to 200ms, or this takes too long", c.every)
	case c.timeout < 2*c.every || c.timeout > time.Second:
		return fmt.Errorf("-timeout %v: must be from twice -every %v, so that one beat may be lost, to 1s", c.timeout, c.every)
	case c.tick < 100*time.Microsecond || c.tick > c.every:
		return fmt.Errorf("-tick %v: must be from 100µs to -every %v", c.tick, c.every)
	}
	return nil
}

// beatAndWatch runs the monitor and its peers from beginning to end.
func beatAndWatch(cfg config, stdout io.Writer) (*report, error) {
	before := runtime.NumGoroutine()

	// The peers' tasks dial and write, so they run in goroutines, the default, where
	// none waits for another. The monitor's only set a read deadline: Inline suits them.
	beats, err := hashedwheel.New(hashedwheel.WithTick(cfg.tick))
	if err != nil {
		return nil, err
	}
	deaths, err := hashedwheel.New(hashedwheel.WithTick(cfg.tick), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	if err != nil {
		return nil, err
	}
	m, err := listen(deaths, cfg.timeout)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(stdout, "%d peers beat every %v: dead after %v of silence, tick %v\n\n", cfg.peers, cfg.every, cfg.timeout, cfg.tick)
	peers := startPeers(beats, cfg, m.addr())
	back := play(cfg, stdout, m, peers)

	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	_, err = beats.Shutdown(ctx) // ends the series of those that still beat
	for _, p := range peers {
		p.hangUp()
	}
	m.close()
	left, closing := deaths.Shutdown(ctx) // what is still pending comes back: here nothing should be
	return newReport(peers, m, back, len(left), before), errors.Join(err, closing)
}

// play goes through the scenes. It reports whether all came back after the outage.
func play(cfg config, stdout io.Writer, m *monitor, peers []*peer) (back bool) {
	start := time.Now()
	say := func(what string) {
		fmt.Fprintf(stdout, "%6.2fs %-34s %4d connected %7d beats %4d noticed dead\n",
			time.Since(start).Seconds(), what, m.connected.Load(), m.beats.Load(), m.dead.Load())
	}
	all := int64(len(peers))
	until(grace, func() bool { return m.connected.Load() == all })
	say("all have connected")
	time.Sleep(8 * cfg.every)
	say("an outage begins")
	m.outage(5 * cfg.every)
	say("the outage is over")
	back = until(8*cfg.every+grace, func() bool { return m.connected.Load() == all })
	say("all have come back")
	time.Sleep(4 * cfg.every)
	for i, p := range peers {
		if i%2 == 1 {
			p.die()
		}
	}
	say("every second one dies")
	until(cfg.timeout+grace, func() bool { return m.hasNoticed(peers) })
	say("and has been noticed")
	return back
}

// until waits for something to be done, no longer than patience.
func until(patience time.Duration, done func() bool) bool {
	for deadline := time.Now().Add(patience); !done(); {
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(time.Millisecond)
	}
	return true
}
