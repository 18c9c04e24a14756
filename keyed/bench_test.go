package keyed_test

import (
	"fmt"
	"runtime"
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
	}{{"keyed", newWheel}, {"map+AfterFunc", newStd}} {
		b.Run("impl="+impl.name, func(b *testing.B) {
			b.Run("op=fill", func(b *testing.B) { fill(b, impl.open, old) })
			m := impl.open()
			defer m.close()
			for i, k := range old {
				m.set(k, delay(uint64(i)))
			}
			b.Run("op=touch", func(b *testing.B) { // later than before
				together(b, m, func(i uint64) { m.touch(some(i), 2*time.Hour) })
			})
			b.Run("op=move", func(b *testing.B) { // earlier or later, by chance
				together(b, m, func(i uint64) { m.touch(some(i), delay(i)) })
			})
			b.Run("op=get", func(b *testing.B) { together(b, m, func(i uint64) { m.get(some(i)) }) })
			b.Run("op=delete-set", func(b *testing.B) {
				together(b, m, func(i uint64) { m.delete(some(i)); m.set(some(i), delay(i)) })
			})
			b.Run("op=call", func(b *testing.B) { // a new key that is deleted at once
				together(b, m, func(i uint64) {
					k := fresh[i%uint64(keys)]
					m.set(k, 30*time.Second)
					m.delete(k)
				})
			})
		})
	}
}

// An expiring map has values that expire.
type expiring interface {
	set(k string, d time.Duration)
	touch(k string, d time.Duration)
	get(k string)
	delete(k string)
	flush() // does what calls have left to do later
	close()
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

// fill sets all keys in a map that grows from nothing. It reports the time a key.
func fill(b *testing.B, open func() expiring, keys []string) {
	var cpu time.Duration
	for range b.N {
		b.StopTimer()
		m, p := open(), runtime.GOMAXPROCS(0)
		runtime.GC()
		before := timertest.CPUTime()
		b.StartTimer()
		var running sync.WaitGroup
		for g := range p {
			running.Go(func() {
				for i := g; i < len(keys); i += p {
					m.set(keys[i], delay(uint64(i)))
				}
			})
		}
		running.Wait()
		m.flush()
		b.StopTimer()
		cpu += timertest.CPUTime() - before
		m.close()
	}
	perKey := 1 / (float64(b.N) * float64(len(keys)))
	b.ReportMetric(float64(b.Elapsed())*perKey, "ns/op")
	b.ReportMetric(float64(cpu)*perKey, "cpu-ns/op")
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

type wheel struct {
	tm *hashedwheel.Timer
	m  *keyed.Map[string, *int]
}

func newWheel() expiring {
	tm := hashedwheel.MustNew()
	return wheel{tm, keyed.New(tm, func(string, *int) {})}
}

func (w wheel) set(k string, d time.Duration)   { _ = w.m.Set(k, &value, d) }
func (w wheel) touch(k string, d time.Duration) { w.m.Touch(k, d) }
func (w wheel) get(k string)                    { w.m.Get(k) }
func (w wheel) delete(k string)                 { w.m.Delete(k) }
func (w wheel) flush()                          { w.tm.Pending() }
func (w wheel) close()                          { w.tm.Stop() }

// std is what a program has that uses the standard library alone.
type std struct {
	mu      sync.Mutex
	entries map[string]*stdEntry // guarded by mu
}

type stdEntry struct {
	value *int
	timer *time.Timer
}

func newStd() expiring { return &std{entries: map[string]*stdEntry{}} }

func (s *std) set(k string, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[k]; e != nil {
		e.value = &value
		e.timer.Reset(d)
		return
	}
	e := &stdEntry{value: &value}
	e.timer = time.AfterFunc(d, func() { s.expire(k, e) })
	s.entries[k] = e
}

func (s *std) expire(k string, e *stdEntry) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.entries[k] == e {
		delete(s.entries, k)
	}
}

func (s *std) touch(k string, d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[k]; e != nil {
		e.timer.Reset(d)
	}
}

func (s *std) get(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	_ = s.entries[k]
}

func (s *std) delete(k string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.entries[k]; e != nil {
		delete(s.entries, k)
		e.timer.Stop()
	}
}

func (s *std) flush() {}

func (s *std) close() {
	for _, e := range s.entries {
		e.timer.Stop()
	}
}
