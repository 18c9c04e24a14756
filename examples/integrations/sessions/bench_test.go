package sessions

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/alexedwards/scs/v2"
	"github.com/alexedwards/scs/v2/memstore"
	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

// BenchmarkSessions has a million sessions that last an hour, and up to 20,000 requests a second, each of which finds
// and commits a session. The memstore sweeps once a second. By default it sweeps once a minute; each sweep takes as
// long.
//
//	go test -run '^$' -bench Sessions -benchtime 200000x ./sessions
func BenchmarkSessions(b *testing.B) {
	const sessions = 1_000_000
	tokens := make([]string, sessions)
	for i := range tokens {
		tokens[i] = fmt.Sprintf("%043d", i) // as long as those of scs
	}
	bench := func(name string, open func() (s scs.Store, end func())) {
		b.Run("store="+name, func(b *testing.B) {
			s, end := open()
			defer end()
			data := make([]byte, 100)
			for _, token := range tokens {
				require.NoError(b, s.Commit(token, data, in(time.Hour+rand.N(time.Minute))))
			}
			paced(b, func() {
				token := tokens[rand.IntN(sessions)]
				data, _, _ := s.Find(token)
				_ = s.Commit(token, data, in(time.Hour))
			})
		})
	}
	bench("memstore", func() (scs.Store, func()) {
		s := memstore.NewWithCleanupInterval(time.Second)
		return s, s.StopCleanup
	})
	bench("keyed", func() (scs.Store, func()) {
		tm := hashedwheel.MustNew()
		return NewStore(tm), func() { tm.StopAll() }
	})
}

// paced calls f up to 20,000 times a second, and reports how long the calls take. Ten of 200,000 calls are longer than
// the p99.995, so sweeps, of which there are more, affect it. On a busy machine the worst call waited for a processor.
func paced(b *testing.B, f func()) {
	took := make([]time.Duration, b.N)
	b.ResetTimer()
	for i := range took {
		if i%20 == 0 {
			time.Sleep(time.Millisecond)
		}
		start := time.Now()
		f()
		took[i] = time.Since(start)
	}
	slices.Sort(took)
	b.ReportMetric(0, "ns/op") // the load sets it
	b.ReportMetric(float64(took[b.N*99/100].Nanoseconds())/1e3, "p99-µs")
	b.ReportMetric(float64(took[b.N*99_995/100_000].Nanoseconds())/1e6, "p99.995-ms")
	b.ReportMetric(float64(took[b.N-1].Nanoseconds())/1e6, "worst-ms")
}
