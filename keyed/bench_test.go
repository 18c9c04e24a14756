package keyed_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// The package compared with a map with a lock, and time.AfterFunc for each key: a million keys of 16
// characters (with -short 10,000) that expire between one and two hours from now, and as many goroutines
// as processors, which use them in no order. On a busy machine CPU time means more than elapsed time.
//
//	go test -run '^$' -bench Map ./keyed
func BenchmarkMap(b *testing.B) {
	keys := 1_000_000
	if testing.Short() {
		keys /= 100
	}
	old, fresh := names("old", keys), names("new", keys)
	some := func(i uint64) string { return old[scatter(i)%uint64(keys)] }
	for _, impl := range []struct {
		name string
		open func() expiring
	}{{"keyed", openKeyed}, {"map+AfterFunc", openStd}} {
		b.Run("impl="+impl.name, func(b *testing.B) {
			m := impl.open()
			defer m.close()
			for i, k := range old {
				m.set(k, delay(uint64(i)))
			}
			for _, op := range []struct {
				name string
				do   func(i uint64)
			}{
				{"touch", func(i uint64) { m.touch(some(i), 2*time.Hour) }}, // later than before
				{"move", func(i uint64) { m.touch(some(i), delay(i)) }},     // earlier or later, by chance
				{"get", func(i uint64) { m.get(some(i)) }},
				{"delete-set", func(i uint64) { m.delete(some(i)); m.set(some(i), delay(i)) }},
				{"call", func(i uint64) { // a new key that is deleted at once
					k := fresh[i%uint64(keys)]
					m.set(k, 30*time.Second)
					m.delete(k)
				}},
			} {
				b.Run("op="+op.name, func(b *testing.B) { together(b, m, op.do) })
			}
		})
	}
}

// An expiring map has values that expire.
type expiring struct {
	set    func(k string, d time.Duration)
	touch  func(k string, d time.Duration)
	get    func(k string)
	delete func(k string)
	flush  func() // does what calls have left to do later
	close  func()
}

// together calls do in as many goroutines as there are processors, each time with another number.
func together(b *testing.B, m expiring, do func(i uint64)) {
	b.ReportAllocs()
	before := timertest.CPUTime()
	var goroutines atomic.Uint64
	b.RunParallel(func(pb *testing.PB) {
		i := goroutines.Add(1) << 32
		for ; pb.Next(); i++ {
			do(i)
		}
	})
	m.flush()
	b.ReportMetric(float64(timertest.CPUTime()-before)/float64(b.N), "cpu-ns/op")
}

func names(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%s%013d", prefix, i)
	}
	return all
}

// delay is between one and two hours, another for each number.
func delay(i uint64) time.Duration {
	return time.Hour + time.Duration(scatter(i+1<<63)%uint64(time.Hour))
}

// scatter turns each number into another that looks random (splitmix64).
func scatter(i uint64) uint64 {
	i += 0x9e3779b97f4a7c15
	i = (i ^ i>>30) * 0xbf58476d1ce4e5b9
	i = (i ^ i>>27) * 0x94d049bb133111eb
	return i ^ i>>31
}

var value int

func openKeyed() expiring {
	tm := hashedwheel.MustNew()
	m := keyed.New(tm, func(string, *int) {})
	return expiring{
		set:    func(k string, d time.Duration) { _ = m.Set(k, &value, d) },
		touch:  func(k string, d time.Duration) { m.Touch(k, d) },
		get:    func(k string) { m.Get(k) },
		delete: func(k string) { m.Delete(k) },
		flush:  func() { tm.Pending() },
		close:  func() { tm.Stop() },
	}
}

// openStd returns what a program has that uses the standard library alone.
func openStd() expiring {
	type entry struct {
		value *int
		timer *time.Timer
	}
	var mu sync.Mutex
	entries := map[string]*entry{} // guarded by mu
	locked := func(f func()) {
		mu.Lock()
		defer mu.Unlock()
		f()
	}
	expire := func(k string, e *entry) {
		if entries[k] == e {
			delete(entries, k)
		}
	}
	return expiring{
		set: func(k string, d time.Duration) {
			locked(func() {
				if e := entries[k]; e != nil {
					e.value = &value
					e.timer.Reset(d)
					return
				}
				e := &entry{value: &value}
				e.timer = time.AfterFunc(d, func() { locked(func() { expire(k, e) }) })
				entries[k] = e
			})
		},
		touch: func(k string, d time.Duration) {
			locked(func() {
				if e := entries[k]; e != nil {
					e.timer.Reset(d)
				}
			})
		},
		get: func(k string) { locked(func() { _ = entries[k] }) },
		delete: func(k string) {
			locked(func() {
				if e := entries[k]; e != nil {
					delete(entries, k)
					e.timer.Stop()
				}
			})
		},
		flush: func() {},
		close: func() {
			for _, e := range entries {
				e.timer.Stop()
			}
		},
	}
}
