package main

import (
	"math/rand/v2"
	"runtime"
	"time"

	"github.com/hashedwheel/hashedwheel/internal/limits"
)

// action is a call, of which the plan chooses the slot and the delay.
type action func(slot int, d time.Duration) step

func doReset(slot int, d time.Duration) step     { return func(c *client) { c.reset(slot, d) } }
func doResetAt(slot int, d time.Duration) step   { return func(c *client) { c.resetAt(slot, d) } }
func doMove(slot int, d time.Duration) step      { return func(c *client) { c.move(slot, d) } }
func doMoveAt(slot int, d time.Duration) step    { return func(c *client) { c.moveAt(slot, d) } }
func doStop(slot int, _ time.Duration) step      { return func(c *client) { c.stop(slot) } }
func doState(slot int, _ time.Duration) step     { return func(c *client) { c.state(slot) } }
func doDeadline(slot int, _ time.Duration) step  { return func(c *client) { c.deadline(slot) } }
func doSchedule(slot int, d time.Duration) step  { return func(c *client) { c.schedule(slot, d) } }
func doAfterFunc(slot int, d time.Duration) step { return func(c *client) { c.afterFunc(slot, d) } }

// doDrain is not recorded: Pending drains in the worker's place.
func doDrain(int, time.Duration) step { return func(c *client) { c.timer.Pending() } }

// fillDrain arms and stops as many as the worker files before it hands out due timeouts. It
// records nothing: nobody sees these again.
func (c *client) fillDrain() {
	for range min(limits.Drain, 100) {
		c.timer.AfterFunc(time.Hour, func() {}).Stop()
	}
}

// doLitter has the queue combed: it arms and stops timeouts of the same stripe. It records nothing.
func doLitter(int, time.Duration) step {
	return func(c *client) {
		for i := range c.litter {
			c.litter[i].Reset(time.Hour)
			c.litter[i].Stop()
		}
	}
}

var anyCall = []action{
	doReset, doReset, doResetAt, doResetAt, doMove, doMoveAt, doStop, doStop, doState, doState,
	doDeadline, doSchedule, doAfterFunc, doDrain,
}

// crowd has n clients call with pauses, each for itself.
func (m *maker) crowd(n int, of []action) {
	m.clients = make([][]step, n)
	for i := range m.clients {
		for range 3 + m.IntN(5) {
			m.clients[i] = append(m.clients[i], m.call(of), m.pause())
		}
	}
}

func (m *maker) call(of []action) step {
	return of[m.IntN(len(of))](m.IntN(m.slots), delay(m.Rand, m.tick))
}

// tasks returns the calls of a task: often none, otherwise one.
func (m *maker) tasks(of []action) []step {
	calls := []step{m.call(of), m.call(of)}
	return []step{func(c *client) {
		if i := c.IntN(4); i < len(calls) {
			calls[i](c)
		}
	}}
}

// armAll arms every slot.
func (m *maker) armAll(with action) (steps []step) {
	for slot := range m.slots {
		steps = append(steps, with(slot, delay(m.Rand, m.tick)))
	}
	return steps
}

// armForGate arms every slot for one tick, and the starter for the same.
func (m *maker) armForGate() {
	d, busy := 2*m.tick, m.busy()
	steps := make([]step, 0, m.slots+1)
	for slot := range m.slots {
		steps = append(steps, doResetAt(slot, d-m.between(0, m.tick)))
	}
	i := max(0, m.IntN(2*len(steps))-len(steps)) // more often first than not
	starter := func(c *client) { c.armStarter(d-m.tick/2, busy) }
	m.before = append(append(append(m.before, steps[:i]...), starter), steps[i:]...)
}

// busy is how long the starter holds up the worker: about as long as the clients
// take to call once, or a few times.
func (m *maker) busy() time.Duration {
	if m.oneIn(4) {
		return m.between(0, 5*time.Microsecond)
	}
	return m.between(0, time.Microsecond)
}

// burst has a few clients call at the same times, round by round, and often on
// the same timeout.
func (m *maker) burst(rounds int, of []action) {
	m.clients = make([][]step, m.oneOf(1, 2, 2, 2, 2, 3))
	for range rounds {
		at, slot := &meeting{clients: int32(len(m.clients))}, m.IntN(m.slots)
		for i := range m.clients {
			if m.oneIn(4) {
				slot = m.IntN(m.slots)
			}
			meet := m.meet(at)
			call := of[m.IntN(len(of))](slot, delay(m.Rand, m.tick))
			m.clients[i] = append(m.clients[i], meet, call)
		}
	}
}

func (m *maker) meet(at *meeting) step {
	late := m.between(0, 150*time.Nanosecond)
	return func(c *client) { at.come(c.history, late) }
}

// burstAtGate is burst when the starter opens the gate.
func (m *maker) burstAtGate(rounds int, of []action) {
	m.burst(rounds, of)
	for i := range m.clients {
		late := m.between(0, 500*time.Nanosecond)
		m.clients[i][0] = func(c *client) { c.gate.await(c.history, late) }
	}
}

// addTimerStop puts a Timer.Stop somewhere among the calls of a client, and
// another now and then.
func (m *maker) addTimerStop() {
	for again := true; again; again = m.oneIn(4) {
		i := m.IntN(len(m.clients))
		s := m.clients[i]
		at := min(len(s), 2+m.IntN(len(s))) // behind the call that it waits for
		m.clients[i] = append(append(append([]step{}, s[:at]...), (*client).timerStop), s[at:]...)
	}
}

func (m *maker) oneIn(n int) bool { return m.IntN(n) == 0 }

func (m *maker) between(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(m.Int64N(int64(hi-lo)+1))
}

func (m *maker) oneOf(of ...int) int { return of[m.IntN(len(of))] }

// delay is at once, within three ticks, on a tick's edge, or far away.
func delay(r *rand.Rand, tick time.Duration) time.Duration {
	switch r.IntN(8) {
	case 0:
		return 0
	case 1:
		return -time.Millisecond
	case 2:
		return time.Hour
	case 3:
		return time.Duration(1+r.IntN(3)) * tick
	}
	return time.Duration(r.Int64N(int64(3 * tick)))
}

// pause is the pause between two calls of a client that are spread.
func (m *maker) pause() step {
	switch d := m.between(0, m.tick); m.IntN(6) {
	case 0:
		return func(*client) { runtime.Gosched() }
	case 1:
		return func(*client) { time.Sleep(d) }
	case 2:
		return func(*client) { spin(d) }
	case 3:
		return func(*client) { spin(d / 64) }
	}
	return func(*client) {}
}
