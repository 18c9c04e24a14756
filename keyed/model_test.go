package keyed_test

import (
	"fmt"
	"slices"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// A model does the same as a Map, slowly but simply, with a Go map and a slice. It counts time in ticks.
type model struct {
	now        int
	room       int  // how many timeouts may be pending before a new one is refused
	renews     bool // no value expires by time alone
	silent     bool // no function is called when a value expires
	stopped    bool
	entries    map[int]*modelEntry
	superseded []*modelEntry // expired; GetOrSet has set their key again
	ends       []string      // values that expired in the last operation, in no order
}

type modelEntry struct {
	key   int
	value int
	asked int // the tick of its deadline
	tick  int // at which it is due
	state modelState
}

type modelState int

const (
	pending modelState = iota
	due                // handed to the executor
	stays              // on a stopped timer: only Delete, before its deadline, and Drain end it
)

// all returns all values that have not ended.
func (m *model) all() []*modelEntry {
	all := slices.Clone(m.superseded)
	for _, e := range m.entries {
		all = append(all, e)
	}
	return all
}

// entry returns the entry of a value that has not ended, or nil.
func (m *model) entry(key, value int) *modelEntry {
	all := m.all()
	i := slices.IndexFunc(all, func(e *modelEntry) bool { return e.key == key && e.value == value })
	if i < 0 {
		return nil
	}
	return all[i]
}

// find returns the entry of a key, or nil if there is none or its value has expired.
func (m *model) find(key int) *modelEntry {
	e := m.entries[key]
	if e == nil || m.renews || m.now < e.asked {
		return e
	}
	return nil
}

// remove takes out an entry, and reports whether it had not ended.
func (m *model) remove(e *modelEntry) bool {
	if e == nil {
		return false
	}
	if m.entries[e.key] == e {
		delete(m.entries, e.key)
		return true
	}
	i := slices.Index(m.superseded, e)
	if i >= 0 {
		m.superseded = slices.Delete(m.superseded, i, i+1)
	}
	return i >= 0
}

// refuses returns why the timer does not arm e, which is nil for a new key.
func (m *model) refuses(e *modelEntry) error {
	if m.stopped {
		return hashedwheel.ErrStopped
	}
	if m.pending() >= m.room && (e == nil || e.state == due && !m.renews) {
		return hashedwheel.ErrFull
	}
	return nil
}

// pending returns how many timeouts of the timer are pending.
func (m *model) pending() (n int) {
	for _, e := range m.all() {
		if e.state == pending {
			n++
		}
	}
	return n
}

func (m *model) set(key, value, ticks int) error {
	if err := m.refuses(m.entries[key]); err != nil {
		return err
	}
	m.entries[key] = &modelEntry{key: key, value: value, asked: m.now + ticks, tick: m.now + max(ticks, 0)}
	return nil
}

func (m *model) touch(key, ticks int) (value int, ok bool) {
	e := m.find(key)
	if e == nil || m.set(key, e.value, ticks) != nil {
		return 0, false
	}
	return e.value, true
}

func (m *model) getOrSet(key, value, ticks int) (actual int, loaded bool, err error) {
	if e := m.find(key); e != nil {
		return e.value, true, nil
	}
	if err := m.refuses(nil); err != nil {
		return 0, false, err
	}
	if e := m.entries[key]; e != nil {
		m.superseded = append(m.superseded, e)
		delete(m.entries, key)
	}
	return value, false, m.set(key, value, ticks)
}

func (m *model) swap(key, value, ticks int) (old int, loaded bool, err error) {
	e := m.entries[key]
	if err := m.set(key, value, ticks); err != nil || e == nil {
		return 0, false, err
	}
	return e.value, true, nil
}

func (m *model) compareAndDelete(key, old int) bool {
	e := m.find(key)
	return e != nil && e.value == old && m.remove(e)
}

func (m *model) delete(key int) (value int, ok bool) {
	e := m.find(key)
	if e == nil {
		return 0, false
	}
	return e.value, m.remove(e)
}

func (m *model) pass(ticks int) {
	m.now += ticks
	for _, e := range m.all() {
		switch {
		case m.stopped || e.state != pending || e.tick > m.now:
		case m.silent && !m.renews:
			m.remove(e)
		default:
			e.state = due
		}
	}
}

// answered records the end of renew for an entry that was due when renew was called. ticks is the delay that renew
// returned; for a map without renew, answered records the expiry, with 0 ticks.
func (m *model) answered(e *modelEntry, ticks int) {
	switch {
	case e.state != due:
	case ticks <= 0:
		if m.remove(e) && !m.silent {
			m.ends = append(m.ends, fmt.Sprintf("%d=%d", e.key, e.value))
		}
	case m.entries[e.key] == e:
		e.asked, e.tick, e.state = m.now+ticks, m.now+ticks, pending
		if m.stopped {
			e.state = stays
		}
	}
}

func (m *model) stop() {
	m.stopped = true
	for _, e := range m.all() {
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
