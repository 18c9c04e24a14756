package inspect_test

import (
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

// BenchmarkPage renders a million pending sessions, which become due one per millisecond.
func BenchmarkPage(b *testing.B) {
	tm := hashedwheel.MustNew()
	b.Cleanup(func() { tm.StopAll() })
	sessions := make([]hashedwheel.Timeout, 1_000_000)
	for i := range sessions {
		sessions[i].Init(tm, new(session)).Reset(time.Hour + time.Duration(i)*time.Millisecond)
	}
	tm.Pending() // files them
	h := inspect.Handler(timers{"sessions": tm})
	for name, target := range map[string]string{"html": "/", "json": "/?format=json"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				get(h, target)
			}
		})
	}
}
