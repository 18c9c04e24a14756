package main

import (
	"sync"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/jonboulle/clockwork"
)

// A presence holds the members seen within the last ttl. It is safe for concurrent use. The Timer
// and the presence must have the same clock, since they compare times.
type presence struct {
	clock clockwork.Clock
	timer *hashedwheel.Timer
	ttl   time.Duration
	left  func(name string, stayed time.Duration) // called when a member was not seen for ttl

	mu      sync.Mutex
	members map[string]*member // guarded by mu
}

// A member is present until its timeout expires, and is that timeout's task.
type member struct {
	presence *presence
	timeout  hashedwheel.Timeout // a member must not be copied
	name     string
	since    time.Time
}

func newPresence(clock clockwork.Clock, ttl time.Duration, left func(string, time.Duration)) *presence {
	return &presence{
		clock:   clock,
		timer:   hashedwheel.MustNew(hashedwheel.WithTick(ttl/100), hashedwheel.WithClock(clock)),
		ttl:     ttl,
		left:    left,
		members: map[string]*member{},
	}
}

// close stops the Timer. It does not call left.
func (p *presence) close() { p.timer.Stop() }

// seen keeps a member present for another ttl.
func (p *presence) seen(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	m := p.members[name]
	if m == nil {
		m = &member{presence: p, name: name, since: p.clock.Now()}
		m.timeout.Init(p.timer, m)
		p.members[name] = m
	}
	m.timeout.Reset(p.ttl)
}

// isHere reports whether a member is present.
func (p *presence) isHere(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.members[name] != nil
}

// Run is called by the Timer when m was not seen for ttl. If seen is called before Run has the
// lock, the timeout is pending again and m stays.
func (m *member) Run(to *hashedwheel.Timeout) {
	p := m.presence
	if p.remove(m, to) {
		p.left(m.name, p.clock.Since(m.since))
	}
}

func (p *presence) remove(m *member, to *hashedwheel.Timeout) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if to.State() == hashedwheel.Pending || p.members[m.name] != m {
		return false
	}
	delete(p.members, m.name)
	return true
}
