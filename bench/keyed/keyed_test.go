// Package keyed compares a keyed.Map with other maps whose values expire.
package keyed

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/keyed"
	"github.com/jellydator/ttlcache/v3"
	"github.com/maypok86/otter/v2"
)

const (
	keys  = 10_000
	delay = 30 * time.Minute
)

// An expiring map has values that expire a delay after they were set or touched.
type expiring struct {
	set, remove func(k string)
	get, touch  func(k string) (found bool)
	settle      func() // does work that the map has put off; may be nil
	end         func()
}

var maps = []struct {
	name string
	open func(touching bool) expiring
}{
	{"keyed", openKeyed},
	{"map+mutex", openMutex},
	{"sync.Map", openSyncMap},
	{"otter", openOtter},
	{"ttlcache", openTTLCache},
}

// BenchmarkMap has 10,000 keys of 16 characters, each with a pointer for a value. One or two goroutines look up random
// keys, or move their deadlines to half an hour from now, or set new keys and delete each at once. ns/op is elapsed
// time divided by the operations of all goroutines.
func BenchmarkMap(b *testing.B) {
	old, fresh := names("old"), names("new")
	for _, op := range []string{"get", "touch", "set-delete"} {
		for _, goroutines := range []int{1, 2} {
			for _, m := range maps {
				b.Run(fmt.Sprintf("op=%s/goroutines=%d/map=%s", op, goroutines, m.name), func(b *testing.B) {
					x := m.open(op == "touch")
					defer x.end()
					for _, k := range old {
						x.set(k)
					}
					runtime.GC()
					if x.settle != nil {
						x.settle()
					}
					b.ReportAllocs()
					b.ResetTimer()
					inGoroutines(b, goroutines, func(i int) {
						switch op {
						case "get":
							missed(b, x.get(old[rand.IntN(keys)]))
						case "touch":
							missed(b, x.touch(old[rand.IntN(keys)]))
						default:
							k := fresh[i%keys]
							x.set(k)
							x.remove(k)
						}
					})
					if n := expired.Swap(0); n > 0 {
						b.Error(n, "values have expired")
					}
				})
			}
		}
	}
}

func missed(b *testing.B, found bool) {
	if !found {
		b.Error("a key was not found")
	}
}

// inGoroutines calls do with each number below b.N once.
func inGoroutines(b *testing.B, n int, do func(i int)) {
	var running sync.WaitGroup
	for g := range n {
		running.Go(func() {
			for i := g; i < b.N; i += n {
				do(i)
			}
		})
	}
	running.Wait()
}

func names(prefix string) []string {
	all := make([]string, keys)
	for i := range all {
		all[i] = fmt.Sprintf("%s%013d", prefix, i)
	}
	return all
}

// expired counts values that have expired, of which there should be none.
var expired atomic.Int64

func openKeyed(bool) expiring {
	tm, v := hashedwheel.MustNew(), new(int)
	m := keyed.New(tm, func(string, *int) { expired.Add(1) })
	return expiring{
		set:    func(k string) { _ = m.Set(k, v, delay) },
		get:    func(k string) bool { _, ok := m.Get(k); return ok },
		touch:  func(k string) bool { _, ok := m.Touch(k, delay); return ok },
		remove: func(k string) { m.Delete(k) },
		settle: func() { tm.Pending() },
		end:    func() { tm.StopAll() },
	}
}

type timed struct {
	value *int
	timer *time.Timer
}

// A Go map with a lock, and a time.AfterFunc for each value.
func openMutex(bool) expiring {
	var mu sync.Mutex
	m, v := make(map[string]*timed), new(int)
	remove := func(k string, only *timed) {
		mu.Lock()
		e := m[k]
		if only == nil || e == only {
			delete(m, k)
		}
		mu.Unlock()
		if only == nil {
			e.timer.Stop()
		}
	}
	return expiring{
		set: func(k string) {
			e := &timed{value: v}
			mu.Lock()
			defer mu.Unlock()
			e.timer = time.AfterFunc(delay, func() { remove(k, e); expired.Add(1) })
			m[k] = e
		},
		get: func(k string) bool {
			mu.Lock()
			defer mu.Unlock()
			return m[k].value != nil
		},
		touch: func(k string) bool {
			mu.Lock()
			defer mu.Unlock()
			return m[k].timer.Reset(delay)
		},
		remove: func(k string) { remove(k, nil) },
		end: func() {
			for _, e := range m {
				e.timer.Stop()
			}
		},
	}
}

// A sync.Map, and a time.AfterFunc for each value.
func openSyncMap(bool) expiring {
	var m sync.Map
	v := new(int)
	return expiring{
		set: func(k string) {
			e := &timed{value: v}
			e.timer = time.AfterFunc(delay, func() { m.CompareAndDelete(k, e); expired.Add(1) })
			m.Store(k, e)
		},
		get: func(k string) bool {
			e, _ := m.Load(k)
			return e.(*timed).value != nil
		},
		touch: func(k string) bool {
			e, _ := m.Load(k)
			return e.(*timed).timer.Reset(delay)
		},
		remove: func(k string) {
			e, _ := m.LoadAndDelete(k)
			e.(*timed).timer.Stop()
		},
		end: func() {
			m.Range(func(_, e any) bool { return e.(*timed).timer.Stop() })
		},
	}
}

// A cache without a bound. Its Get is also its Touch, if the cache was made so.
func openOtter(touching bool) expiring {
	expiry := otter.ExpiryWriting[string, *int](delay)
	if touching {
		expiry = otter.ExpiryAccessing[string, *int](delay)
	}
	m := otter.Must(&otter.Options[string, *int]{
		ExpiryCalculator: expiry,
		OnDeletion: func(e otter.DeletionEvent[string, *int]) {
			if e.Cause == otter.CauseExpiration {
				expired.Add(1)
			}
		},
	})
	v, get := new(int), func(k string) bool { _, ok := m.GetIfPresent(k); return ok }
	return expiring{
		set:    func(k string) { m.Set(k, v) },
		get:    get,
		touch:  get,
		remove: func(k string) { m.Invalidate(k) },
		end:    func() { m.StopAllGoroutines() },
	}
}

func openTTLCache(bool) expiring {
	m, v := ttlcache.New(ttlcache.WithDisableTouchOnHit[string, *int]()), new(int)
	go m.Start()
	return expiring{
		set:    func(k string) { m.Set(k, v, delay) },
		get:    func(k string) bool { return m.Get(k) != nil },
		touch:  func(k string) bool { m.Touch(k); return true },
		remove: func(k string) { m.Delete(k) },
		end:    m.Stop,
	}
}
