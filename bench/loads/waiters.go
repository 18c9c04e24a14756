package loads

import (
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

var waiters = Load{
	Name: "waiters",
	Flat: true,
	What: "Goroutines that wait until a channel is closed: one channel for all (package time: AfterFunc closes it), or " +
		"each calls After itself. How late they wake, and how late a heartbeat of 1 ms on the same timer is, " +
		"from half a second before until half a second after.",
	Cases: func(c Config) []Case {
		n := numbers.Short(c.Count(100_000))
		return []Case{
			{Name: n + " on one channel", Tick: ms, Only: pair, Run: func(p peers.Peer, c Config) ([]Figure, error) {
				return waitTogether(p, c, oneChannel)
			}},
			{Name: n + ", After of each", Tick: ms, Only: pair, Run: func(p peers.Peer, c Config) ([]Figure, error) {
				return waitTogether(p, c, afterOfEach)
			}},
		}
	},
}

// waiting returns a function that waits until a moment of the crowd.
type waiting func(t peers.Timer, c *crowd, moment time.Duration) (wait func())

func oneChannel(t peers.Timer, c *crowd, moment time.Duration) func() {
	if tm, ok := peers.WheelOf(t); ok {
		closed := tm.After(moment - c.now())
		return func() { <-closed }
	}
	closed := make(chan struct{})
	time.AfterFunc(moment-c.now(), func() { close(closed) })
	return func() { <-closed }
}

func afterOfEach(t peers.Timer, c *crowd, moment time.Duration) func() {
	if tm, ok := peers.WheelOf(t); ok {
		return func() { <-tm.After(moment - c.now()) }
	}
	return func() { <-time.After(moment - c.now()) }
}

func waitTogether(p peers.Peer, config Config, how waiting) ([]Figure, error) {
	n, lead := config.Count(100_000), max(600*ms, config.Time(3*time.Second))
	around := min(500*ms, lead/2)
	t := p.Open(ms)
	c := &crowd{start: time.Now(), late: make([]float64, n)}
	wait := how(t, c, lead)
	for i := range n {
		go func() {
			wait()
			c.run(i, lead)
		}()
	}
	started := c.now()
	c.sleepUntil(lead - around)
	beat := startBeats(t, ms)
	if err := c.wait(); err != nil {
		return nil, err
	}
	time.Sleep(around)
	figures := append(c.figures("waiters late "), quantiles("heartbeat late ", Millis, beat.end(), "p50", "p99", "max")...)
	if started > lead-around {
		figures[0].Mark = tooLate
	}
	return figures, nil
}
