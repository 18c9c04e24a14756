package keyed_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A model does the same as a Map, slowly but plainly, with a Go map and a slice. It counts time in
// ticks.
type model struct {
	now     int
	room    int  // how many places there are
	renews  bool // each value has its place from Set to its end
	stopped bool
	entries map[int]*modelEntry
	ends    []string // values that expired in the last operation, in no order
}

type modelEntry struct {
	value int
	asked int // the tick of its deadline
	tick  int // at which it is due
	state modelState
}

type modelState int

const (
	pending modelState = iota
	due                // handed to the executor
	stays              // on a stopped timer: nothing ends it but Delete and Drain
)

// refuses returns why the timer does not arm e, which is nil for a new key.
func (m *model) refuses(e *modelEntry) error {
	if m.stopped {
		return hashedwheel.ErrStopped
	}
	if m.taken() == m.room && (e == nil || e.state == due) {
		return hashedwheel.ErrFull
	}
	return nil
}

// pending returns how many timeouts of the timer are pending.
func (m *model) pending() (n int) {
	for _, e := range m.entries {
		if e.state == pending {
			n++
		}
	}
	return n
}

// taken returns how many places are taken.
func (m *model) taken() (n int) {
	for _, e := range m.entries {
		if e.state == pending || m.renews && e.state == due {
			n++
		}
	}
	return n
}

func (m *model) set(key, value, ticks int) error {
	if err := m.refuses(m.entries[key]); err != nil {
		return err
	}
	m.entries[key] = &modelEntry{value: value, asked: m.now + ticks, tick: m.now + max(ticks, 1)}
	return nil
}

func (m *model) touch(key, ticks int) (value int, ok bool) {
	e := m.entries[key]
	if e == nil || m.set(key, e.value, ticks) != nil {
		return 0, false
	}
	return e.value, true
}

func (m *model) getOrSet(key, value, ticks int) (actual int, loaded bool, err error) {
	if e := m.entries[key]; e != nil {
		return e.value, true, nil
	}
	if err := m.set(key, value, ticks); err != nil {
		return 0, false, err
	}
	return value, false, nil
}

func (m *model) swap(key, value, ticks int) (old int, loaded bool, err error) {
	e := m.entries[key]
	if err := m.set(key, value, ticks); err != nil || e == nil {
		return 0, false, err
	}
	return e.value, true, nil
}

func (m *model) compareAndDelete(key, old int) bool {
	e := m.entries[key]
	if e == nil || e.value != old {
		return false
	}
	delete(m.entries, key)
	return true
}

func (m *model) delete(key int) (value int, ok bool) {
	e := m.entries[key]
	if e == nil {
		return 0, false
	}
	delete(m.entries, key)
	return e.value, true
}

func (m *model) pass(ticks int) {
	m.now += ticks
	for _, e := range m.entries {
		if !m.stopped && e.state == pending && e.tick <= m.now {
			e.state = due
		}
	}
}

// answered is the end of renew for an entry that was due when renew was called: renew returned so many ticks. For a
// map without renew it is the expiry, with no ticks.
func (m *model) answered(key int, e *modelEntry, ticks int) {
	switch {
	case m.entries[key] != e || e.state != due:
	case ticks <= 0:
		delete(m.entries, key)
		m.ends = append(m.ends, fmt.Sprintf("%d=%d", key, e.value))
	default:
		e.asked, e.tick, e.state = m.now+ticks, m.now+ticks, pending
		if m.stopped {
			e.state = stays
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
