// Each of 10,000 goroutines waits for its own limiter, ten times a second.
package main

import (
	"context"
	"math/rand/v2"
	"time"

	"golang.org/x/time/rate"

	"github.com/hashedwheel/hashedwheel/bench/programs/load"
)

const perSecond = 10

func main() {
	load.Main(func(r *load.Run) {
		for range r.Scale(10_000) {
			go func() {
				time.Sleep(rand.N(time.Second / perSecond))
				limiter := rate.NewLimiter(perSecond, 1)
				ctx := context.Background()
				load.Must(limiter.Wait(ctx))
				for due := time.Now(); ; {
					due = due.Add(time.Second / perSecond)
					load.Must(limiter.Wait(ctx))
					late := time.Since(due)
					r.Observe(late)
					if late > time.Second/perSecond { // the limiter's burst is used up
						due = time.Now()
					}
				}
			}()
		}
	})
}
