package promises

import (
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// inALongPass has a hundred thousand timeouts that are due at one tick, each task of
// which takes 10 µs: a thousand ticks. In the middle of the first ten it calls f.
func inALongPass(t *testing.T, f func(t *testing.T, tm *hashedwheel.Timer), check func(t *testing.T, ran int)) {
	timertest.InBubble(t, func(t *testing.T, tm *hashedwheel.Timer) {
		const n = 100_000
		ran := 0
		task := hashedwheel.TaskFunc(func(*hashedwheel.Timeout) {
			switch ran++; ran {
			case n / 20:
				f(t, tm)
			case n / 10:
				check(t, ran)
			}
			time.Sleep(10 * time.Microsecond)
		})
		all := make([]hashedwheel.Timeout, n)
		for i := range all {
			all[i].Init(tm, task)
			all[i].Reset(time.Second)
		}
		timertest.Pass(3 * time.Second)
		assert.Equal(t, n, ran)
	}, hashedwheel.WithExecutor(hashedwheel.Inline{}))
}

func TestLongPassReleasesTimeoutsStoppedDuringIt(t *testing.T) {
	var stopped []weak.Pointer[payload]
	inALongPass(t, func(_ *testing.T, tm *hashedwheel.Timer) {
		for range 100 {
			stopped = append(stopped, armAndStop(tm))
		}
	}, func(t *testing.T, _ int) {
		runtime.GC()
		kept := 0
		for _, p := range stopped {
			if p.Value() != nil {
				kept++
			}
		}
		assert.Zero(t, kept, "of 100, 50 ticks later")
	})
	assert.Len(t, stopped, 100)
}

//go:noinline
func armAndStop(tm *hashedwheel.Timer) weak.Pointer[payload] {
	return holding(tm, time.Hour, stop).payload
}

// Counted, not run: Inline runs one after another, in the order of their ticks.
func TestLongPassFilesTimeoutsArmedDuringIt(t *testing.T) {
	var before, after uint64
	var tm *hashedwheel.Timer
	inALongPass(t, func(_ *testing.T, timer *hashedwheel.Timer) {
		tm, before = timer, timer.Stats().Canceled
		for range 1000 {
			tm.AfterFunc(time.Hour, timertest.Nop).Stop()
		}
	}, func(*testing.T, int) { after = tm.Stats().Canceled })
	assert.Equal(t, uint64(1000), after-before)
}
