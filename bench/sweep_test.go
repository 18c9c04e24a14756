package bench

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// BenchmarkSweep compares two maps whose entries expire within a minute: a map with a lock that is swept once a second,
// and package keyed, which has a timeout for each entry. For three seconds one entry is set again every millisecond.
// held is how long a sweep holds the lock. call is the time from the start of the millisecond until set returns, about
// 0.5 ms of which is the OS wake-up. late is how late entries are removed.
func BenchmarkSweep(b *testing.B) {
	for _, n := range []int{count(10_000), count(100_000), count(1e6)} {
		for _, m := range []struct {
			name string
			open func(b *testing.B, expire func(due time.Time)) expiring
		}{{"swept", openSwept}, {"keyed", openKeyed}} {
			b.Run(fmt.Sprintf("entries=%s/map=%s", short(n), m.name), func(b *testing.B) {
				useFirstProcessors()
				sweep(b, n, m.open)
				once(b)
			})
		}
	}
}

// expiring is a map from strings to times.
type expiring interface {
	set(key string, due time.Time)
	close()
}

func sweep(b *testing.B, n int, open func(*testing.B, func(time.Time)) expiring) {
	var mu sync.Mutex
	var late []float64
	m := open(b, func(due time.Time) {
		l := float64(time.Since(due)) / 1e6
		mu.Lock()
		defer mu.Unlock()
		late = append(late, l)
	})
	keys := make([]string, n)
	minute := span(time.Minute)
	for i := range keys {
		keys[i] = fmt.Sprintf("session-%08d", i)
		m.set(keys[i], time.Now().Add(scatter(i, minute)))
	}
	runtime.GC()
	start := time.Now()
	var calls []float64
	eachMillisecond(span(3*time.Second), func(i int) {
		m.set(keys[rand.IntN(n)], time.Now().Add(minute))
		calls = append(calls, float64(time.Since(start)-time.Duration(i)*ms)/1e6)
	})
	m.close()
	mu.Lock()
	defer mu.Unlock()
	quantiles(b, "call", "ms", calls, 50, 99, 100)
	if len(late) > 0 {
		quantiles(b, "late", "ms", late, 50, 100)
	}
}

// swept is a map that is scanned under its lock.
type swept struct {
	b      *testing.B
	expire func(due time.Time)
	held   []float64 // ms, of each sweep
	quit   chan struct{}
	done   sync.WaitGroup

	mu  sync.Mutex
	due map[string]time.Time // guarded by mu
}

func openSwept(b *testing.B, expire func(time.Time)) expiring {
	m := &swept{b: b, expire: expire, due: map[string]time.Time{}, quit: make(chan struct{})}
	m.done.Go(func() {
		tick := time.NewTicker(span(time.Second))
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
				m.sweep()
			case <-m.quit:
				return
			}
		}
	})
	return m
}

func (m *swept) sweep() {
	var expired []time.Time
	m.mu.Lock()
	now := time.Now()
	for key, due := range m.due {
		if due.Before(now) {
			delete(m.due, key)
			expired = append(expired, due)
		}
	}
	m.held = append(m.held, float64(time.Since(now))/1e6)
	m.mu.Unlock()
	for _, due := range expired {
		m.expire(due)
	}
}

func (m *swept) set(key string, due time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.due[key] = due
}

func (m *swept) close() {
	close(m.quit)
	m.done.Wait()
	if len(m.held) > 0 {
		quantiles(m.b, "held", "ms", m.held, 50)
	}
}

type keyedTimes struct {
	tm *hashedwheel.Timer
	m  *keyed.Map[string, time.Time]
}

func openKeyed(b *testing.B, expire func(time.Time)) expiring {
	tm := hashedwheel.MustNew()
	return keyedTimes{tm, keyed.New(tm, func(_ string, due time.Time) { expire(due) })}
}

func (k keyedTimes) set(key string, due time.Time) { _ = k.m.Set(key, due, time.Until(due)) }

func (k keyedTimes) close() { k.tm.StopAll() }
