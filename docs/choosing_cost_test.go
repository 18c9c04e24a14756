package docs

import (
	"runtime"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/hashedwheel/hashedwheel"
	"github.com/hashedwheel/hashedwheel/internal/timertest"
)

func TestMemoryOfATimer(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const n = 200
	timers := make([]*hashedwheel.Timer, n)
	clock := hashedwheel.NewManualClock(time.Now())
	before := timertest.Heap()
	for i := range timers {
		timers[i] = hashedwheel.MustNew(hashedwheel.WithClock(clock))
	}
	unused := (timertest.Heap() - before) / n
	for _, tm := range timers {
		tm.AfterFunc(time.Minute, func() {})
		tm.AfterFunc(time.Hour, func() {})
	}
	clock.Advance(time.Second)
	used := (timertest.Heap() - before) / n
	t.Logf("a Timer is %d bytes when it is new, %d with far timeouts", unused, used)
	assert.Less(t, unused, int64(37_000))
	assert.Less(t, used, int64(50_000))
	for _, tm := range timers {
		tm.StopAll()
	}
}

func TestAClockThatMovesFurtherThanATimerCounts(t *testing.T) {
	clock := hashedwheel.NewManualClock(time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC))
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()
	for range 3 {
		clock.Advance(10 * 365 * 24 * time.Hour)
	}
	ran := false
	tm.AfterFunc(time.Second, func() { ran = true })
	clock.Advance(time.Hour)
	assert.False(t, ran, "never")

	late := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer late.StopAll()
	late.AfterFunc(time.Second, func() { ran = true })
	clock.Advance(time.Hour)
	assert.True(t, ran, "the Timer is made once the clock is set")
}
