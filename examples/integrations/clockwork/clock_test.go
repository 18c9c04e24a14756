package clockwork

import (
	"testing"
	"testing/synctest"
	"time"

	"github.com/hashedwheel/hashedwheel"
	"github.com/jonboulle/clockwork"
	"github.com/stretchr/testify/require"
)

func TestTimersOfTheClockAreOnTheWheel(t *testing.T) {
	const d = time.Second
	for name, start := range map[string]func(clock clockwork.Clock) (done <-chan time.Time, stop func()){
		"NewTimer": func(clock clockwork.Clock) (<-chan time.Time, func()) {
			return clock.NewTimer(d).Chan(), func() {}
		},
		"NewTicker": func(clock clockwork.Clock) (<-chan time.Time, func()) {
			ticker := clock.NewTicker(d)
			return ticker.Chan(), ticker.Stop
		},
		"AfterFunc": func(clock clockwork.Clock) (<-chan time.Time, func()) {
			called := make(chan time.Time, 1)
			clock.AfterFunc(d, func() { called <- time.Now() })
			return called, func() {}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				tm := hashedwheel.MustNew()
				defer tm.StopAll()
				began := time.Now()
				done, stop := start(NewClock(tm))
				require.Equal(t, 1, tm.Pending())
				<-done
				require.WithinRange(t, time.Now(), began.Add(d), began.Add(d+tm.Tick()))
				stop()
				require.Zero(t, tm.Pending())
			})
		})
	}
}

// Code that takes a clockwork.Clock is tested on a ManualClock: when Advance returns, all that is due has happened, in
// order, so there is nothing to wait for before or after it.
func TestManualClockReplacesAFakeClock(t *testing.T) {
	manual := hashedwheel.NewManualClock(time.Date(2026, time.March, 1, 0, 0, 0, 0, time.UTC))
	tm := hashedwheel.MustNew(hashedwheel.WithClock(manual), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	defer tm.StopAll()
	clock, start := NewClock(tm), manual.Now()
	var ran []time.Duration
	clock.AfterFunc(time.Minute, func() { ran = append(ran, clock.Since(start)) })
	timer := clock.NewTimer(time.Hour)
	manual.Advance(time.Minute - 1)
	require.Empty(t, ran)
	manual.Advance(time.Hour)
	require.Equal(t, []time.Duration{time.Minute}, ran)
	require.Len(t, timer.Chan(), 1)
}
