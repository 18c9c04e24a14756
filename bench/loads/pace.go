package loads

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// pace calls f for every millisecond of d. One that comes too late for its
// millisecond is made up for at once. It returns how long that took in all.
func pace(d time.Duration, f func(ms int)) time.Duration {
	start := time.Now()
	for ms := range int(d / time.Millisecond) {
		time.Sleep(time.Until(start.Add(time.Duration(ms) * time.Millisecond)))
		f(ms)
	}
	return time.Since(start)
}

// Bears begins the mark of a peer, or of a machine, that is too slow for a rate.
const Bears = "bears "

// behind marks a peer that has taken longer for its work than there was time.
func behind(took, d time.Duration, rate int) string {
	if took < d+d/20 {
		return ""
	}
	return fmt.Sprintf(Bears+"%s a second", numbers.Grouped(int(float64(rate)*d.Seconds()/took.Seconds())))
}

// pacedCalls are deadlines armed at a fixed rate: 99 in a hundred are stopped 5 ms
// later, and one expires after a second.
type pacedCalls struct {
	timer  peers.Timer
	arm    func(d time.Duration) peers.Armed
	each   int // a millisecond
	flying [answerAfter/time.Millisecond + 1][]peers.Armed
	fired  tally
	armed  int
}

func newPacedCalls(t peers.Timer, rate int) *pacedCalls {
	return &pacedCalls{timer: t, arm: peers.ArmNever(t), each: max(1, rate/1000)}
}

func (c *pacedCalls) step(ms int) {
	slot := &c.flying[ms%len(c.flying)]
	c.stop(slot)
	for range c.each {
		c.armed++
		if c.armed%(answered+1) == 0 {
			c.timer.Arm(expireAfter, c.fired.fire)
		} else {
			*slot = append(*slot, c.arm(deadline))
		}
	}
}

func (c *pacedCalls) stop(slot *[]peers.Armed) {
	for i, to := range *slot {
		to.Stop()
		(*slot)[i] = nil
	}
	*slot = (*slot)[:0]
}

// end stops what is in flight, and returns a Fault unless all others expire.
func (c *pacedCalls) end(patience time.Duration) error {
	for i := range c.flying {
		c.stop(&c.flying[i])
	}
	want := c.armed / (answered + 1)
	c.fired.wait(want, expireAfter+patience)
	if err := c.fired.fault(want); err != nil {
		return err
	}
	return lost(c.timer, c.armed)
}
