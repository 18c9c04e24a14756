package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// history is one plan carried out on its own timer, and the record of that.
type history struct {
	plan  *plan
	begun time.Time // what all times count from; before the timer was made
	made  int64     // when it had been made
	timer *hashedwheel.Timer

	slots    [maxSlots]atomic.Pointer[subject] // the timeouts under test
	litter   []hashedwheel.Timeout             // share a stripe of the queue with the slots' timeouts
	gate     meeting                           // begun by the starter
	patience time.Duration                     // how long due timeouts may take to run, and tasks to return

	mu       sync.Mutex
	subjects []*subject             // guarded by mu
	starter  []*hashedwheel.Timeout // known, and not a subject; guarded by mu
	events   []event                // guarded by mu
	returned []returned             // guarded by mu
	faults   []string               // faults outside the calls; guarded by mu
	sealed   bool                   // no task may begin any more; guarded by mu
}

// subject is a timeout whose calls are recorded.
type subject struct {
	id int
	to *hashedwheel.Timeout // nil if Schedule refused it
}

// returned is the result of a Timer.Stop.
type returned struct {
	event
	left []*hashedwheel.Timeout
}

// carryOut makes the history of a plan. It returns when all is settled.
func carryOut(p *plan, seed uint64, patience time.Duration) *history {
	h := &history{plan: p, begun: time.Now(), patience: patience}
	h.timer = hashedwheel.MustNew(p.options...)
	h.made = h.now()
	page := make([]hashedwheel.Timeout, p.slots+32)
	h.litter = page[p.slots:]
	for i := range h.litter {
		h.litter[i].InitFunc(h.timer, func() {})
	}
	for i := range p.slots {
		s := h.newSubject()
		s.to = &page[i]
		s.to.Init(h.timer, hashedwheel.TaskFunc(func(*hashedwheel.Timeout) { h.ran(s) }))
		h.slots[i].Store(s)
	}
	one := &client{history: h, id: first, Rand: rand.New(rand.NewPCG(seed, 0))}
	one.do(p.before)
	var others sync.WaitGroup
	for i, steps := range p.clients {
		c := &client{history: h, id: first + 1 + i, Rand: rand.New(rand.NewPCG(seed, uint64(1+i)))}
		others.Go(func() {
			c.do(steps)
			h.keep(c)
		})
	}
	others.Wait()
	h.end(one)
	return h
}

// end settles the rest and closes the books.
func (h *history) end(c *client) {
	if h.plan.waits {
		h.awaitDue()
	}
	c.do(h.plan.after)
	c.timerStop()
	c.reset(c.IntN(h.plan.slots), delay(c.Rand, h.plan.tick))
	ctx, cancel := context.WithTimeout(context.Background(), h.patience)
	defer cancel()
	if _, err := h.timer.Shutdown(ctx); err != nil {
		h.fault("Shutdown timed out after %v", h.patience)
	}
	for _, s := range h.known() {
		c.stateOf(s)
		c.deadlineOf(s)
	}
	h.keep(c)
	h.seal()
}

// awaitDue waits until nothing is pending that is due soon, however late.
func (h *history) awaitDue() {
	for _, s := range h.known() {
		for since := time.Now(); s.to.State() == hashedwheel.Pending && time.Until(s.to.Deadline()) < h.patience; {
			if time.Since(since) > 2*h.patience {
				h.fault("timeout %d was due at %v, and at %v is still pending",
					s.id, s.to.Deadline().Sub(h.begun), time.Since(h.begun))
				return
			}
			time.Sleep(20 * time.Microsecond)
		}
	}
}

// now returns the time since the history began.
func (h *history) now() int64 { return int64(time.Since(h.begun)) }

// newSubject returns the next one, or nil if there are enough.
func (h *history) newSubject() *subject {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.subjects) == maxTimeouts {
		return nil
	}
	s := &subject{id: len(h.subjects)}
	h.subjects = append(h.subjects, s)
	return s
}

// known returns the subjects that have a timeout.
func (h *history) known() (known []*subject) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.subjects {
		if s.to != nil {
			known = append(known, s)
		}
	}
	return known
}

// ran is the task of every subject.
func (h *history) ran(s *subject) {
	e := event{what: run, timeout: s.id, client: worker, ret: h.now()}
	h.mu.Lock()
	h.events = append(h.events, e)
	nth := len(h.events)
	if h.sealed {
		h.faults = append(h.faults, fmt.Sprintf("the task of timeout %d began after Shutdown", s.id))
	}
	h.mu.Unlock()
	if len(h.plan.task) > 0 {
		c := &client{history: h, id: worker, Rand: rand.New(rand.NewPCG(uint64(nth), uint64(s.id)))}
		c.do(h.plan.task)
		h.keep(c)
	}
}

// keep takes over a client's record.
func (h *history) keep(c *client) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, c.events...)
	h.returned = append(h.returned, c.returned...)
}

func (h *history) fault(format string, args ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.faults = append(h.faults, fmt.Sprintf(format, args...))
}

// seal adds what Timer.Stop returned, now that every timeout is known.
func (h *history) seal() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.sealed = true
	for _, r := range h.returned {
		for _, to := range r.left {
			if !r.count(h.subjects, to) && !has(h.starter, to) {
				h.faults = append(h.faults, "Timer.Stop returned a timeout that nobody made")
			}
		}
		h.events = append(h.events, r.event)
	}
}

func (r *returned) count(subjects []*subject, to *hashedwheel.Timeout) bool {
	for _, s := range subjects {
		if s.to == to {
			r.in[s.id]++
			return true
		}
	}
	return false
}

func has(all []*hashedwheel.Timeout, to *hashedwheel.Timeout) bool {
	for _, other := range all {
		if other == to {
			return true
		}
	}
	return false
}
