package recipes_test

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/hashedwheel/hashedwheel"
)

// jittered is a Scheduler. Each run begins between period and period + spread after the last run.
type jittered struct{ period, spread time.Duration }

func (j jittered) Next(now time.Time) time.Time { return now.Add(j.period + rand.N(j.spread)) }

// Jitter for each run keeps many processes from calling one server at the same time. To spread the series of one
// process, each with an exact period, use EveryFrom with a random first run.
func Example_jitterForEachRun() {
	clock := hashedwheel.NewManualClock(time.Now()) // a program needs none: time passes by itself
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()

	last, runs := tm.Now(), 0
	tm.Recur(jittered{50 * time.Second, 20 * time.Second}, func(*hashedwheel.Series) {
		if gap := tm.Now().Sub(last); gap < 50*time.Second || gap > 70*time.Second+2*tm.Tick() {
			fmt.Println("a gap of", gap)
		}
		last = tm.Now()
		runs++
	})
	clock.Advance(time.Hour)
	fmt.Println("from 51 to 72 runs in an hour:", 51 <= runs && runs <= 72)
	// Output: from 51 to 72 runs in an hour: true
}
