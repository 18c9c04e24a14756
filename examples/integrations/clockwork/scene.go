package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/jonboulle/clockwork"
)

// grace is how late, in real time, the member may leave on a busy machine.
const grace = 5 * time.Second

// playFake plays the scene on a fake clock.
func playFake(w io.Writer, ttl time.Duration) (stayed time.Duration, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	clock := clockwork.NewFakeClock()
	pass := func(d time.Duration) error { return advance(ctx, clock, d) }
	return play(w, "fake", clock, ttl, pass)
}

// playReal plays the scene on the clock of the machine.
func playReal(w io.Writer, ttl time.Duration) (stayed time.Duration, err error) {
	pass := func(d time.Duration) error { time.Sleep(d); return nil }
	return play(w, "real", clockwork.NewRealClock(), ttl, pass)
}

// advance waits until the Timer waits for the clock, then advances the clock. In the other order
// the Timer would begin to wait at the later time.
func advance(ctx context.Context, clock *clockwork.FakeClock, d time.Duration) error {
	err := clock.BlockUntilContext(ctx, 1)
	clock.Advance(d)
	return err
}

// play sees a member three times and returns how long it stayed. Pass lets time pass on the
// clock.
func play(w io.Writer, name string, clock clockwork.Clock, ttl time.Duration,
	pass func(time.Duration) error) (stayed time.Duration, err error) {
	left := make(chan time.Duration, 3)
	p := newPresence(clock, ttl, func(_ string, stayed time.Duration) { left <- stayed })
	defer p.close()

	start := time.Now()
	p.seen("ann")
	for _, d := range []time.Duration{ttl / 4, ttl / 4} {
		err = errors.Join(err, pass(d))
		p.seen("ann")
	}
	if err = errors.Join(err, pass(ttl)); err != nil {
		return 0, err
	}
	select {
	case stayed = <-left:
	case <-time.After(grace):
		return 0, fmt.Errorf("on the %s clock the member did not leave", name)
	}
	fmt.Fprintf(w, "%s clock: ttl %v, stayed %v, in %v of real time\n",
		name, ttl, stayed.Round(10*time.Microsecond), time.Since(start).Round(10*time.Microsecond))
	return stayed, nil
}
