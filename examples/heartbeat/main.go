// Heartbeat is a monitor that watches peers over TCP and notices dead ones.
//
// Each peer is one series (Timer.Every): a run connects if necessary, then sends a beat. The
// runs are due on a fixed grid, so the beats do not drift. While a run hangs in a slow dial, the
// next runs are left out: no two runs overlap, and no burst of beats follows.
//
// The monitor has a Timeout in each connection and moves it at every beat. If it expires, the
// peer is dead.
//
// First all peers beat. Then the monitor has an outage: it closes all connections and accepts
// none for a while, and the peers must reconnect. At last every second peer dies like a machine
// that loses power: its connection stays open. In the table, look at
//
//   - "died" and "noticed dead": the same number;
//   - "noticed late by": never below zero, at most one tick plus the delay of a busy machine;
//   - "beats late by": the same for the last beat as for the first.
//
// The exit status is 1 if a death was noticed early or not at all, or if a peer did not
// reconnect.
//
// Read peer.go for Every and monitor.go for the timeouts; report.go holds the table.
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

// grace is how late things may be on a busy machine before they count as not done.
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
		Held:  "every death was noticed, none early, and the other peers reconnected",
	}.Run(args, stdout, stderr)
}

// show runs the monitor with its peers and prints the result.
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
	flags.DurationVar(&c.timeout, "timeout", 500*time.Millisecond, "a peer is dead after this `time` without a beat")
	flags.DurationVar(&c.tick, "tick", 5*time.Millisecond, "the timer's tick, a `time`: how late a beat or a notice may be")
}

// check returns an error that names the first wrong flag, and its value.
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

	// The tasks of the peers dial and write, which may block: they get the default executor, goroutines.
	// The tasks of the monitor only set a read deadline: Inline is enough.
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
	fmt.Fprintf(stdout, "%d peers beat every %v: dead after %v without a beat, tick %v\n\n", cfg.peers, cfg.every, cfg.timeout, cfg.tick)
	peers := startPeers(beats, cfg, m.addr())
	back := play(cfg, stdout, m, peers)

	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	_, err = beats.Shutdown(ctx) // ends the series of the living peers
	for _, p := range peers {
		p.hangUp()
	}
	m.close()
	left, closing := deaths.Shutdown(ctx) // left is empty: all connections have ended
	return newReport(peers, m, back, len(left), before), errors.Join(err, closing)
}

// play runs the scenes. It reports whether all peers reconnected after the outage.
func play(cfg config, stdout io.Writer, m *monitor, peers []*peer) (back bool) {
	start := time.Now()
	say := func(scene string) {
		fmt.Fprintf(stdout, "%6.2fs %-30s %4d connected %7d beats %4d noticed dead\n",
			time.Since(start).Seconds(), scene, m.connected.Load(), m.beats.Load(), m.dead.Load())
	}
	all := int64(len(peers))
	example.Until(grace, func() bool { return m.connected.Load() == all })
	say("all peers are connected")
	time.Sleep(8 * cfg.every)
	say("an outage begins")
	m.outage(5 * cfg.every)
	say("the outage is over")
	back = example.Until(8*cfg.every+grace, func() bool { return m.connected.Load() == all })
	say("all peers have reconnected")
	time.Sleep(4 * cfg.every)
	for i, p := range peers {
		if i%2 == 1 {
			p.die()
		}
	}
	say("every second peer dies")
	example.Until(cfg.timeout+grace, func() bool { return m.hasNoticed(peers) })
	say("their deaths are noticed")
	return back
}
