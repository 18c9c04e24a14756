// Package keyload is the load of the benchmarks of package keyed, which several tables
// bear: a million keys of 16 characters that expire between one and two hours from now, and
// as many goroutines as processors, that set, touch and delete them in no order.
package keyload

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
)

// A Table is a map whose values expire.
type Table interface {
	Set(k string, v *int, d time.Duration)
	Touch(k string, d time.Duration)
	Delete(k string)
	Flush() // does what calls have left to do later
	Close()
}

// A Getter is a Table that can be asked. A wheel with keys is none.
type Getter interface{ Get(k string) *int }

// keys is how many there are at any time; as many are set by op=set.
const keys = 1_000_000

// Run measures a table that open returns: impl names it.
func Run(b *testing.B, impl string, open func() Table) {
	b.Run("impl="+impl, func(b *testing.B) {
		n := keys
		if testing.Short() {
			n /= 100
		}
		l := &load{old: names("old", n), fresh: names("new", n)}
		b.Run("op=fill", func(b *testing.B) { l.fill(b, open) })
		l.table = open()
		defer l.table.Close()
		l.setAll()
		b.Run("op=touch", l.touch)
		b.Run("op=move", l.move)
		b.Run("op=get", l.get)
		b.Run("op=delete-set", l.deleteSet)
		b.Run("op=call", l.call)
		b.Run("op=set", l.set)
	})
}

type load struct {
	table      Table
	old, fresh []string
}

var value int

func names(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%s%013d", prefix, i)
	}
	return all
}

// delay is between one and two hours, other for every i.
func delay(i uint64) time.Duration {
	return time.Hour + time.Duration(scatter(i)%uint64(time.Hour))
}

// scatter turns each number into another that looks random (splitmix64).
func scatter(i uint64) uint64 {
	i += 0x9e3779b97f4a7c15
	i = (i ^ i>>30) * 0xbf58476d1ce4e5b9
	i = (i ^ i>>27) * 0x94d049bb133111eb
	return i ^ i>>31
}

// parallel calls f for 0 to n-1, in as many goroutines as there are processors, and then has the
// table finish its pending work. It returns the CPU time, which on a busy machine means more than
// elapsed time.
func (l *load) parallel(n int, f func(i int)) (cpu time.Duration) {
	before := cpuTime()
	var running sync.WaitGroup
	p := runtime.GOMAXPROCS(0)
	for g := range p {
		running.Go(func() {
			for i := g; i < n; i += p {
				f(i)
			}
		})
	}
	running.Wait()
	l.table.Flush()
	return cpuTime() - before
}

func (l *load) measure(b *testing.B, f func(i int)) {
	b.ReportAllocs()
	report(b, l.parallel(b.N, f))
}

func report(b *testing.B, cpu time.Duration) {
	b.ReportMetric(float64(cpu)/float64(b.N), "cpu-ns/op")
}

// some returns one of the keys that are there.
func (l *load) some(i int) string { return l.old[scatter(uint64(i))%uint64(len(l.old))] }

// setAll sets the keys that are there from then on.
func (l *load) setAll() (cpu time.Duration) {
	return l.parallel(len(l.old), func(i int) { l.table.Set(l.old[i], &value, delay(uint64(i))) })
}

// fill sets a million keys in a table that was empty, which grows all the way, as often as
// is asked for. It reports the time a key.
func (l *load) fill(b *testing.B, open func() Table) {
	var cpu time.Duration
	for range b.N {
		b.StopTimer()
		l.table = open()
		runtime.GC()
		b.StartTimer()
		cpu += l.setAll()
		b.StopTimer()
		l.table.Close()
		b.StartTimer()
	}
	l.table = nil
	perKey := 1 / (float64(b.N) * float64(len(l.old)))
	b.ReportMetric(float64(b.Elapsed())*perKey, "ns/op")
	b.ReportMetric(float64(cpu)*perKey, "cpu-ns/op")
}

// touch is a request of a session: from then on the session has two hours, longer than before.
func (l *load) touch(b *testing.B) {
	l.measure(b, func(i int) { l.table.Touch(l.some(i), 2*time.Hour) })
}

// move makes the time of a key earlier or later, by chance.
func (l *load) move(b *testing.B) {
	l.measure(b, func(i int) { l.table.Touch(l.some(i), delay(uint64(b.N+i))) })
}

func (l *load) get(b *testing.B) {
	t, ok := l.table.(Getter)
	if !ok {
		b.Skip("it has no Get")
	}
	l.measure(b, func(i int) {
		if t.Get(l.some(i)) == nil {
			b.Error("not found")
		}
	})
}

// deleteSet deletes a key and sets it again. If two goroutines do so at the same time, the key is
// set twice.
func (l *load) deleteSet(b *testing.B) {
	l.measure(b, func(i int) {
		k := l.some(i)
		l.table.Delete(k)
		l.table.Set(k, &value, delay(uint64(i)))
	})
}

// call sets a new key and deletes it at once, as a call that is answered does.
func (l *load) call(b *testing.B) {
	l.measure(b, func(i int) {
		k := l.fresh[i%len(l.fresh)]
		l.table.Set(k, &value, 30*time.Second)
		l.table.Delete(k)
	})
}

// set sets new keys where there are a million, a tenth more at most. It has done so once
// before it is measured: a table that grows by leaps has made room.
func (l *load) set(b *testing.B) {
	b.ReportAllocs()
	turn := len(l.fresh) / 10
	l.setSome(b, 0, turn)
	b.ResetTimer()
	var cpu time.Duration
	for first := 0; first < b.N; first += turn {
		cpu += l.setSome(b, first, min(turn, b.N-first))
	}
	report(b, cpu)
}

// setSome sets n new keys, from the first on, and takes them out again where nobody looks.
func (l *load) setSome(b *testing.B, first, n int) (cpu time.Duration) {
	fresh := func(i int) string { return l.fresh[(first+i)%len(l.fresh)] }
	cpu = l.parallel(n, func(i int) { l.table.Set(fresh(i), &value, delay(uint64(first+i))) })
	b.StopTimer()
	l.parallel(n, func(i int) { l.table.Delete(fresh(i)) })
	b.StartTimer()
	return cpu
}
