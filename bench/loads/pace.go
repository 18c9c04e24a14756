package loads

import (
	"fmt"
	"time"

	"github.com/hashedwheel/hashedwheel/bench/numbers"
	"github.com/hashedwheel/hashedwheel/bench/peers"
)

// pace calls f for every millisecond of d. A late call is made up for at once. It
// returns how long all calls took.
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

// behind marks a peer that took too long for its work.
func behind(took, d time.Duration, rate int) string {
	if took < d+d/20 {
		return ""
	}
	return fmt.Sprintf(Bears+"%s a second", numbers.Grouped(int(float64(rate)*d.Seconds()/took.Seconds())))
}

// pacedCalls are deadlines armed at a fixed rate. Most are stopped 5 ms later; one
// in so many expires after a second.
type pacedCalls struct {
	timer  peers.Timer
	arm    func(d time.Duration) peers.Armed
	rate   int // a second
	expire int // one in so many; 0 for none
	flying [answerAfter/time.Millisecond + 1][]peers.Armed
	fired  tally
	onFire func(due time.Time) // nil for nothing
	armed  int
	want   int // calls that expire
}

func newPacedCalls(t peers.Timer, rate int) *pacedCalls {
	return &pacedCalls{timer: t, arm: peers.ArmNever(t), rate: rate, expire: answered + 1}
}

// dueBy returns how many operations a rate makes by the end of a millisecond.
func dueBy(rate, ms int) int { return rate * (ms + 1) / 1000 }

func (c *pacedCalls) step(ms int) {
	slot := &c.flying[ms%len(c.flying)]
	c.stop(slot)
	for ; c.armed < dueBy(c.rate, ms); c.armed++ {
		if c.expire > 0 && (c.armed+1)%c.expire == 0 {
			c.want++
			c.timer.Arm(expireAfter, c.fire())
		} else {
			*slot = append(*slot, c.arm(deadline))
		}
	}
}

func (c *pacedCalls) fire() func() {
	if c.onFire == nil {
		return c.fired.fire
	}
	due := time.Now().Add(expireAfter)
	return func() {
		c.onFire(due)
		c.fired.fire()
	}
}

func (c *pacedCalls) stop(slot *[]peers.Armed) {
	for i, to := range *slot {
		to.Stop()
		(*slot)[i] = nil
	}
	*slot = (*slot)[:0]
}

// end stops the calls in flight, and returns a Fault unless all others expire.
func (c *pacedCalls) end(patience time.Duration) error {
	for i := range c.flying {
		c.stop(&c.flying[i])
	}
	c.fired.wait(c.want, expireAfter+patience)
	if err := c.fired.fault(c.want); err != nil {
		return err
	}
	return lost(c.timer, c.armed)
}
