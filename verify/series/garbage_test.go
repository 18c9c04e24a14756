package series_test

import (
	"math"
	"runtime"
	"testing"
	"time"
	"weak"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/limits"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

// repeating begins a series that holds a payload, and lets f end it.
//
//go:noinline
func repeating(tm *hashedwheel.Timer, f func(*hashedwheel.Series)) (
	series weak.Pointer[hashedwheel.Series], payload weak.Pointer[[1024]byte],
) {
	p := new([1024]byte)
	s := tm.Every(aPeriod, func(*hashedwheel.Series) { p[0]++ })
	f(s)
	return weak.Make(s), weak.Make(p)
}

func TestEveryIsGarbageSoonAfterStop(t *testing.T) {
	for moment, at := range map[string]time.Duration{"before the first": 0, "later": 5*aPeriod + aPeriod/2} {
		t.Run(moment, func(t *testing.T) {
			onEachExecutor(t, func(t *testing.T, tm *hashedwheel.Timer, _ time.Duration) {
				tm.AfterFunc(2*time.Hour, timertest.Nop) // nothing to do until then
				s, payload := repeating(tm, func(s *hashedwheel.Series) {
					timertest.Pass(at)
					require.True(t, s.Stop())
				})
				timertest.Pass(max(2*tick, timertest.LetGo))
				timertest.AssertGarbage(t, s, "the series")
				timertest.AssertGarbage(t, payload, "what f holds")
				assert.Equal(t, 1, tm.Pending())
			})
		})
	}
}

func TestEveryCostsOneAllocationAndARunNone(t *testing.T) {
	f := func(*hashedwheel.Series) {}
	tm := timertest.NewResting(t)
	assert.EqualValues(t, 1, testing.AllocsPerRun(1000, func() { tm.Every(time.Hour, f) }))
	s := tm.Every(time.Hour, f)
	assert.Zero(t, testing.AllocsPerRun(1000, func() {
		s.Reset(time.Hour)
		s.Next()
		_ = s.Err()
	}))

	if limits.Chunk < 500 {
		return // with -tags small a thousand runs need more chunks than the wheel keeps
	}
	clock, tm := timertest.NewManual(timertest.Inline)
	defer tm.Stop()
	tm.Every(10*time.Millisecond, f)
	one := mallocsOf(func() { clock.Advance(time.Second) })
	for range 1000 {
		tm.Every(10*time.Millisecond, f)
	}
	clock.Advance(20 * time.Millisecond)
	all := mallocsOf(func() { clock.Advance(time.Second) })
	assert.LessOrEqual(t, all, one+200, "100,000 runs more")
}

// mallocsOf returns the fewest allocations of three calls of f: the runtime counts those of other goroutines also.
func mallocsOf(f func()) uint64 {
	fewest := uint64(math.MaxUint64)
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		fewest = min(fewest, after.Mallocs-before.Mallocs)
	}
	return fewest
}
