package inspect_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

const million = 1_000_000

// newFull returns a handler over a timer with a million sessions pending, due within
// minutes of each other, beside a heartbeat every tick.
func newFull(tb testing.TB) (http.Handler, *hashedwheel.Timer) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	tb.Cleanup(func() { tm.Stop() })
	sessions := make([]hashedwheel.Timeout, million)
	for i := range sessions {
		sessions[i].Init(tm, new(session))
		sessions[i].Reset(time.Hour + time.Duration(i)*time.Millisecond)
	}
	tm.Pending() // has them filed
	tm.Every(time.Millisecond, tick)
	return inspect.Handler(timers{"sessions": tm}), tm
}

// nowhere is a ResponseWriter that keeps nothing.
type nowhere struct{ header http.Header }

func (w nowhere) Header() http.Header         { return w.header }
func (w nowhere) Write(b []byte) (int, error) { return io.Discard.Write(b) }
func (w nowhere) WriteHeader(int)             {}

// BenchmarkPage shows a page of a million, and how late it made a heartbeat at worst.
func BenchmarkPage(b *testing.B) {
	for name, target := range map[string]string{"html": "/", "json": "/?format=json"} {
		b.Run(name, func(b *testing.B) {
			h, tm := newFull(b)
			r := httptest.NewRequest(http.MethodGet, target, nil)
			w := nowhere{make(http.Header)}
			b.ReportAllocs()
			for b.Loop() {
				h.ServeHTTP(w, r)
			}
			b.ReportMetric(float64(tm.Stats().MaxLag.Microseconds())/1000, "ms-late")
		})
	}
}
