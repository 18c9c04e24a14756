package cron

import (
	"testing"
	"time"
	_ "time/tzdata" // Berlin, also where the system has no time zones

	"github.com/hashedwheel/hashedwheel"
	"github.com/stretchr/testify/require"
)

// newTimer returns a Timer that runs tasks while its clock advances.
func newTimer(start time.Time) (*hashedwheel.Timer, *hashedwheel.ManualClock) {
	clock := hashedwheel.NewManualClock(start)
	return hashedwheel.MustNew(hashedwheel.WithClock(clock), hashedwheel.WithExecutor(hashedwheel.Inline{})), clock
}

func TestFunctionRunsAtTheTimesOfTheLine(t *testing.T) {
	wednesday := time.Date(2026, time.March, 25, 0, 0, 0, 0, time.UTC) // Berlin sets its clocks forward on Sunday
	tests := map[string]struct {
		line string
		d    time.Duration
		want []string
	}{
		"a time of day in a zone": {
			"CRON_TZ=Europe/Berlin 30 9 * * MON-FRI", 7 * 24 * time.Hour,
			[]string{"Wed 08:30", "Thu 08:30", "Fri 08:30", "Mon 07:30", "Tue 07:30"},
		},
		"half an hour":        {"*/30 * * * *", time.Hour, []string{"Wed 00:30", "Wed 01:00"}},
		"a period":            {"@every 20m", time.Hour, []string{"Wed 00:20", "Wed 00:40", "Wed 01:00"}},
		"a day that never is": {"0 0 30 2 *", 24 * time.Hour, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tm, clock := newTimer(wednesday)
			var runs []string
			run := func(*hashedwheel.Series) { runs = append(runs, clock.Now().Format("Mon 15:04")) }
			s, err := Recur(tm, tt.line, run)
			require.NoError(t, err)
			clock.Advance(tt.d)
			require.Equal(t, tt.want, runs)
			require.Equal(t, tt.want != nil, s.Stop())
			clock.Advance(tt.d)
			require.Equal(t, tt.want, runs, "stopped")
			require.Zero(t, tm.Pending())
		})
	}
}

func TestWrongLinesAndStoppedTimersAreErrors(t *testing.T) {
	tm, _ := newTimer(time.Now())
	_, err := Recur(tm, "every now and then", func(*hashedwheel.Series) {})
	require.Error(t, err)
	tm.Stop()
	_, err = Recur(tm, "@daily", func(*hashedwheel.Series) {})
	require.ErrorIs(t, err, hashedwheel.ErrStopped)
}
