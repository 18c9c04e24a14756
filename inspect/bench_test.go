package inspect_test

import (
	"crypto/sha256"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/inspect"
)

const million = 1_000_000

// newFull returns a handler over a timer with a heartbeat every tick, and a million pending sessions
// that are due within minutes of each other.
func newFull(tb testing.TB) (http.Handler, *hashedwheel.Timer) {
	tm := hashedwheel.MustNew(hashedwheel.WithTick(time.Millisecond), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	tb.Cleanup(func() { tm.Stop() })
	sessions := make([]hashedwheel.Timeout, million)
	for i := range sessions {
		sessions[i].Init(tm, new(session))
		sessions[i].Reset(time.Hour + time.Duration(i)*time.Millisecond)
	}
	tm.Pending() // files them
	tm.Every(time.Millisecond, tick)
	return inspect.Handler(timers{"sessions": tm}), tm
}

// nowhere is a ResponseWriter that keeps nothing.
type nowhere struct{ header http.Header }

func (w nowhere) Header() http.Header         { return w.header }
func (w nowhere) Write(b []byte) (int, error) { return io.Discard.Write(b) }
func (w nowhere) WriteHeader(int)             {}

// BenchmarkPage renders a page of a million timeouts, and reports the bound of how late it made a heartbeat
// at worst. The run "other" does as much work, and makes as much garbage, without the timer.
func BenchmarkPage(b *testing.B) {
	page := func(target string) func(h http.Handler) {
		r, w := httptest.NewRequest(http.MethodGet, target, nil), nowhere{make(http.Header)}
		return func(h http.Handler) { h.ServeHTTP(w, r) }
	}
	for name, work := range map[string]func(h http.Handler){
		"html":  page("/"),
		"json":  page("/?format=json"),
		"other": func(http.Handler) { sha256.Sum256(make([]byte, 1<<19)) },
	} {
		b.Run(name, func(b *testing.B) {
			h, tm := newFull(b)
			b.ReportAllocs()
			for b.Loop() {
				work(h)
			}
			b.ReportMetric(float64(latest(tm.Stats()).Microseconds())/1000, "ms-late")
		})
	}
}

// latest returns the bound of the last bucket with a task.
func latest(s hashedwheel.Stats) (upTo time.Duration) {
	for _, b := range s.Lateness {
		if b.Count > 0 {
			upTo = b.UpTo
		}
	}
	return upTo
}
