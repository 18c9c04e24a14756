package keyload

import (
	"sync"
	"time"
)

// NewStd returns a map with a lock, and time.AfterFunc for each key, as a program has it that uses
// the standard library alone.
func NewStd() Table { return &std{entries: make(map[string]*stdEntry)} }

type std struct {
	mu      sync.Mutex
	entries map[string]*stdEntry
}

type stdEntry struct {
	value *int
	timer *time.Timer
}

func (t *std) Set(k string, v *int, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.entries[k]; e != nil {
		e.value = v
		e.timer.Reset(d)
		return
	}
	e := &stdEntry{value: v}
	e.timer = time.AfterFunc(d, func() { t.expire(k, e) })
	t.entries[k] = e
}

func (t *std) expire(k string, e *stdEntry) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.entries[k] == e {
		delete(t.entries, k)
	}
}

func (t *std) Touch(k string, d time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.entries[k]; e != nil {
		e.timer.Reset(d)
	}
}

func (t *std) Delete(k string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.entries[k]; e != nil {
		delete(t.entries, k)
		e.timer.Stop()
	}
}

func (t *std) Get(k string) *int {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e := t.entries[k]; e != nil {
		return e.value
	}
	return nil
}

func (t *std) Flush() {}

func (t *std) Close() {
	for _, e := range t.entries {
		e.timer.Stop()
	}
}
