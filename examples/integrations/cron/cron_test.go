package cron

import (
	"testing"
	"time"
	_ "time/tzdata" // Berlin, even if the system has no time zones

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

func TestFunctionRunsAtTheTimesOfTheLine(t *testing.T) {
	wednesday := time.Date(2026, time.March, 25, 0, 0, 0, 0, time.UTC) // Berlin sets its clocks forward on Sunday
	clock := hashedwheel.NewManualClock(wednesday)
	tm := hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{}))
	var runs []string
	run := func(*hashedwheel.Series) { runs = append(runs, clock.Now().Format("Mon 15:04")) }
	s, err := Recur(tm, "CRON_TZ=Europe/Berlin 30 9 * * MON-FRI", run)
	require.NoError(t, err)
	const week = 7 * 24 * time.Hour
	clock.Advance(week)
	require.Equal(t, []string{"Wed 08:30", "Thu 08:30", "Fri 08:30", "Mon 07:30", "Tue 07:30"}, runs)
	require.True(t, s.Stop())
	clock.Advance(week)
	require.Len(t, runs, 5, "stopped")

	never, err := Recur(tm, "0 0 30 2 *", run)
	require.NoError(t, err)
	require.False(t, never.Stop(), "it has ended")
}

func TestWrongLinesAndStoppedTimersAreErrors(t *testing.T) {
	tm := hashedwheel.MustNew()
	_, err := Recur(tm, "every now and then", func(*hashedwheel.Series) {})
	require.Error(t, err)
	tm.StopAll()
	_, err = Recur(tm, "@daily", func(*hashedwheel.Series) {})
	require.ErrorIs(t, err, hashedwheel.ErrStopped)
}
