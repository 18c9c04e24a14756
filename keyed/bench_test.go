package keyed_test

import (
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
	"github.com/hashedwheel/hashedwheel/keyed"
)

// A million keys of 16 characters (with -short 10,000) that expire between one and two hours from now, and as many
// goroutines as processors, which use them in no order. On a busy machine CPU time means more than elapsed time.
//
//	go test -run '^$' -bench Map ./keyed
func BenchmarkMap(b *testing.B) {
	n := 1_000_000
	if testing.Short() {
		n /= 100
	}
	old, fresh := names("old", n), names("new", n)
	delay := func() time.Duration { return time.Hour + rand.N(time.Hour) }
	tm := hashedwheel.MustNew()
	defer tm.StopAll()
	m := keyed.New(tm, func(string, *int) {})
	v := new(int)
	for _, k := range old {
		_ = m.Set(k, v, delay())
	}
	var last atomic.Uint64
	for _, op := range []struct {
		name string
		do   func(k string)
	}{
		{"touch", func(k string) { m.Touch(k, 2*time.Hour) }}, // later than before
		{"move", func(k string) { m.Touch(k, delay()) }},      // earlier or later, by chance
		{"get", func(k string) { m.Get(k) }},
		{"delete-set", func(k string) { m.Delete(k); _ = m.Set(k, v, delay()) }},
		{"call", func(string) { // a new key that is deleted at once
			k := fresh[last.Add(1)%uint64(n)]
			_ = m.Set(k, v, 30*time.Second)
			m.Delete(k)
		}},
	} {
		b.Run("op="+op.name, func(b *testing.B) {
			b.ReportAllocs()
			before := timertest.CPUTime()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					op.do(old[rand.IntN(n)])
				}
			})
			tm.Pending() // does the work that the calls left to the worker
			b.ReportMetric(float64(timertest.CPUTime()-before)/float64(b.N), "cpu-ns/op")
		})
	}
}

func names(prefix string, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("%s%013d", prefix, i)
	}
	return all
}
