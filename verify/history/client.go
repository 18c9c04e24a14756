package main

import (
	"errors"
	"math/rand/v2"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// client is one goroutine's part in a history. It records its calls.
type client struct {
	*history
	*rand.Rand
	id       int
	events   []event
	returned []returned
}

// step is one thing a client does.
type step func(*client)

func (c *client) do(steps []step) {
	if c.events == nil {
		c.events = make([]event, 0, 2*len(steps)) // so that recording does not delay the calls
	}
	for _, s := range steps {
		s(c)
	}
}

func (c *client) note(e event) {
	e.client = c.id
	c.events = append(c.events, e)
}

// armed is the event of a call with a delay. The library reads the clock between call and ret, so the deadline lies
// between lo and hi.
func armed(what what, s *subject, call, ret int64, d time.Duration, yes bool) event {
	lo, hi := call+int64(max(0, d)), ret+int64(max(0, d))
	return event{what: what, timeout: s.id, call: call, ret: ret, lo: lo, hi: hi, yes: yes}
}

func (c *client) reset(slot int, d time.Duration) {
	c.arm(reset, slot, d, (*hashedwheel.Timeout).Reset)
}

func (c *client) move(slot int, d time.Duration) { c.arm(move, slot, d, (*hashedwheel.Timeout).Move) }

func (c *client) resetAt(slot int, d time.Duration) {
	c.armAt(reset, slot, d, (*hashedwheel.Timeout).ResetAt)
}

func (c *client) moveAt(slot int, d time.Duration) {
	c.armAt(move, slot, d, (*hashedwheel.Timeout).MoveAt)
}

func (c *client) arm(what what, slot int, d time.Duration, by func(*hashedwheel.Timeout, time.Duration) bool) {
	s := c.slots[slot].Load()
	call := c.now()
	was := by(s.to, d)
	ret := c.now()
	c.note(armed(what, s, call, ret, d, was))
}

// armAt is arm with a deadline that is known exactly.
func (c *client) armAt(what what, slot int, d time.Duration, by func(*hashedwheel.Timeout, time.Time) bool) {
	s := c.slots[slot].Load()
	at := max(c.made, c.now()+int64(d)) // an earlier time would count as New's, which is not known exactly
	t := c.begun.Add(time.Duration(at))
	call := c.now()
	was := by(s.to, t)
	c.note(event{what: what, timeout: s.id, call: call, ret: c.now(), lo: at, hi: at, yes: was})
}

func (c *client) stop(slot int) {
	s := c.slots[slot].Load()
	call := c.now()
	did := s.to.Stop()
	c.note(event{what: stop, timeout: s.id, call: call, ret: c.now(), yes: did})
}

func (c *client) state(slot int) { c.stateOf(c.slots[slot].Load()) }

func (c *client) stateOf(s *subject) {
	call := c.now()
	is := s.to.State()
	c.note(event{what: state, timeout: s.id, call: call, ret: c.now(), state: is})
}

func (c *client) deadline(slot int) { c.deadlineOf(c.slots[slot].Load()) }

func (c *client) deadlineOf(s *subject) {
	call := c.now()
	at := s.to.Deadline()
	e := event{what: deadline, timeout: s.id, call: call, ret: c.now(), yes: !at.IsZero()}
	if e.yes {
		e.lo = int64(at.Sub(c.begun))
		e.hi = e.lo
	}
	c.note(e)
}

// schedule arms a new timeout, and from then on the slot has that one.
func (c *client) schedule(slot int, d time.Duration) {
	s := c.newSubject()
	if s == nil {
		c.reset(slot, d)
		return
	}
	call := c.now()
	to, err := c.timer.Schedule(d, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { c.ran(s) }))
	ret := c.now()
	e := armed(schedule, s, call, ret, d, false)
	switch {
	case err == nil:
		c.publish(slot, s, to)
	case errors.Is(err, hashedwheel.ErrStopped):
		e.told = stopped
	case errors.Is(err, hashedwheel.ErrFull):
		e.told = full
	}
	c.note(e)
}

func (c *client) afterFunc(slot int, d time.Duration) {
	s := c.newSubject()
	if s == nil {
		c.reset(slot, d)
		return
	}
	call := c.now()
	to := c.timer.AfterFunc(d, func() { c.ran(s) })
	ret := c.now()
	c.publish(slot, s, to)
	c.note(armed(afterFunc, s, call, ret, d, false))
}

func (c *client) publish(slot int, s *subject, to *hashedwheel.Timeout) {
	c.mu.Lock()
	s.to = to
	c.mu.Unlock()
	c.slots[slot].Store(s)
}

func (c *client) timerStop() {
	call := c.now()
	left := c.timer.Stop()
	e := event{what: timerStop, client: c.id, call: call, ret: c.now()}
	c.returned = append(c.returned, returned{e, left})
}

// armStarter arms a timeout that is not under test, whose task opens the gate and then keeps the
// executor busy for a while: the calls behind the gate race with the next timeouts of the batch.
func (c *client) armStarter(d, busy time.Duration) {
	to := c.timer.AfterFunc(d, func() { spin(c.gate.open(c.history) + busy) })
	c.mu.Lock()
	c.starter = append(c.starter, to)
	c.mu.Unlock()
}
