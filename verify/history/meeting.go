package main

import (
	"runtime"
	"sync/atomic"
	"time"
)

// meeting is where clients wait for each other before a call. A call takes tens of nanoseconds, so
// it is not enough to release them together: they agree on a time, and each waits for that by
// itself.
type meeting struct {
	clients int32
	arrived atomic.Int32
	begins  atomic.Int64 // when the calls are to begin; 0 until all have arrived
}

// soon is enough for all who wait to have seen the time.
const soon = 300 * time.Nanosecond

func (m *meeting) come(h *history, late time.Duration) {
	if m.arrived.Add(1) == m.clients {
		m.open(h)
	}
	m.await(h, late)
}

// open lets all go soon, and returns how soon.
func (m *meeting) open(h *history) time.Duration {
	m.begins.Store(h.now() + int64(soon))
	return soon
}

// await returns when the meeting begins, or somewhat later. Should that never be,
// because another client is held up, it returns after a while.
func (m *meeting) await(h *history, late time.Duration) {
	for since := time.Now(); m.begins.Load() == 0 && time.Since(since) < 3*time.Millisecond; {
		for i := 0; i < 60_000 && m.begins.Load() == 0; i++ {
			continue // most are there soon, on another processor
		}
		if m.begins.Load() == 0 {
			runtime.Gosched()
		}
	}
	for at := m.begins.Load() + int64(late); h.now() < at; {
		continue
	}
}

// spin passes time without giving up the processor.
func spin(d time.Duration) {
	for since := time.Now(); time.Since(since) < d; {
		continue
	}
}
