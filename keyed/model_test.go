package keyed_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A model is what a Map does, said with a plain map and a slice: slow, and plain to see.
// Times are counted in ticks.
type model struct {
	now     int
	room    int // for how many pending
	stopped bool
	entries map[int]*modelEntry
	ends    []string // of the last operation, in no order
}

type modelEntry struct {
	value int
	tick  int
	state modelState
}

type modelState int

const (
	pending modelState = iota
	due                // handed to the executor
	stays              // on a stopped timer: nothing ends it but Delete and Drain
)

func (m *model) ended(how string, key, value int) {
	m.ends = append(m.ends, fmt.Sprintf("%s %d=%d", how, key, value))
}

// refuses says why the timer does not arm e, which is nil for a new key.
func (m *model) refuses(e *modelEntry) error {
	if m.stopped {
		if e != nil {
			e.state = stays
		}
		return hashedwheel.ErrStopped
	}
	n := 0
	for _, other := range m.entries {
		if other.state == pending {
			n++
		}
	}
	if n == m.room && (e == nil || e.state == due) {
		return hashedwheel.ErrFull
	}
	return nil
}

func (m *model) set(key, value, ticks int) error {
	if err := m.refuses(m.entries[key]); err != nil {
		return err
	}
	m.entries[key] = &modelEntry{value: value, tick: m.now + max(ticks, 1)}
	return nil
}

func (m *model) touch(key, ticks int) bool {
	e := m.entries[key]
	return e != nil && m.set(key, e.value, ticks) == nil
}

func (m *model) delete(key int) (value int, ok bool) {
	e := m.entries[key]
	if e == nil {
		return 0, false
	}
	delete(m.entries, key)
	return e.value, true
}

func (m *model) drain() {
	for key, e := range m.entries {
		m.ended("drained", key, e.value)
	}
	clear(m.entries)
}

func (m *model) pass(ticks int) {
	m.now += ticks
	for _, e := range m.entries {
		if !m.stopped && e.state == pending && e.tick <= m.now {
			e.state = due
		}
	}
}

// release has the executor run what it holds.
func (m *model) release() {
	for key, e := range m.entries {
		if e.state == due {
			delete(m.entries, key)
			m.ended("expired", key, e.value)
		}
	}
}

func (m *model) stop() {
	m.stopped = true
	for _, e := range m.entries {
		if e.state == pending {
			e.state = stays
		}
	}
}

func (m *model) takeEnds() []string {
	ends := m.ends
	m.ends = nil
	slices.Sort(ends)
	return ends
}

// ticks is d in whole ticks, rounded up.
func ticks(d time.Duration) int { return int((d + tick - 1) / tick) }
