// Each of 10,000 goroutines waits for its own limiter, ten times a second.
package rate_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"golang.org/x/time/rate"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
)

const period = time.Second / 10

func BenchmarkProgram(b *testing.B) {
	load.Bench(b, "rate", func(r *load.Run) {
		for range load.Scale(10_000) {
			go func() {
				time.Sleep(rand.N(period))
				limiter := rate.NewLimiter(rate.Every(period), 1)
				ctx := context.Background()
				load.Must(limiter.Wait(ctx)) // the first token is there
				for due := time.Now(); ; {
					due = due.Add(period)
					load.Must(limiter.Wait(ctx))
					late := time.Since(due)
					r.Observe(late)
					if late > period { // the limiter keeps one token, so the next is due now
						due = due.Add(late - period)
					}
				}
			}()
		}
	})
}
