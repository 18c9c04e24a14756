package inspect_test

import (
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

// BenchmarkPage renders a million pending sessions, which become due one per millisecond.
func BenchmarkPage(b *testing.B) {
	_, h := million(b, false)
	for name, target := range map[string]string{"html": "/", "json": "/?format=json"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				get(h, target)
			}
		})
	}
}

// BenchmarkLate reports how late timeouts are while the page of a million pending sessions, scattered in memory, is
// loaded again and again.
func BenchmarkLate(b *testing.B) {
	tm, h := million(b, true)
	var over atomic.Bool
	var viewer sync.WaitGroup
	viewer.Go(func() {
		for !over.Load() {
			get(h, "/")
		}
	})
	var late []float64
	for b.Loop() {
		due, at := tm.Now().Add(7*time.Millisecond), make(chan time.Time)
		tm.AfterFunc(7*time.Millisecond, func() { at <- time.Now() })
		late = append(late, float64((<-at).Sub(due))/1e6)
	}
	over.Store(true)
	viewer.Wait()
	slices.Sort(late)
	b.ReportMetric(late[len(late)/2], "late-p50-ms")
	b.ReportMetric(late[len(late)*99/100], "late-p99-ms")
}

// million returns a timer with a million pending sessions, and its handler.
func million(b *testing.B, scattered bool) (*hashedwheel.Timer, http.Handler) {
	tm := hashedwheel.MustNew()
	b.Cleanup(func() { tm.StopAll() })
	sessions := make([]hashedwheel.Timeout, 1_000_000)
	order := rand.Perm(len(sessions))
	if !scattered {
		slices.Sort(order)
	}
	for i, at := range order {
		sessions[at].Init(tm, new(session)).Reset(time.Hour + time.Duration(i)*time.Millisecond)
	}
	tm.Pending() // files them
	return tm, inspect.Handler(timers{"sessions": tm})
}
